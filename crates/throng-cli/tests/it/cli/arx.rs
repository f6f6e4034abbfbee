//! Eight optima of ARX on its own data, which are not in the repository: real people's rows. `THRONG_ARX_DATA` names the folder `data`
//! of the public repository arx-deidentifier/arx.

use crate::support::Sandbox;

/// Quasi columns, models, the share that may be left out, quality, value, levels in the order of the file, rows left out.
type Optimum = (&'static str, &'static [&'static str], &'static str, &'static str, f64, &'static [u64], u64);

const COLUMNS: [&str; 9] =
    ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class"];
const ALL: &str = "quasi=*";
const EIGHT: &str = "quasi=sex,age,race,marital-status,education,native-country,workclass,salary-class";

const OPTIMA: [Optimum; 8] = [
    (ALL, &[], "0.04", "entropy", 255_559.854_557_310_67, &[1, 0, 1, 1, 3, 2, 2, 0, 1], 906),
    (ALL, &[], "0", "entropy", 407_289.538_892_529_3, &[1, 2, 1, 1, 3, 2, 2, 1, 1], 0),
    (ALL, &[], "1", "loss", 0.220_411_928_479_842_92, &[0, 3, 0, 0, 2, 1, 1, 1, 0], 2553),
    (EIGHT, &["l-diversity:kind=entropy,l=5"], "0", "entropy-suppressed", 324_620.526_991_869_2, &[], 0),
    (EIGHT, &["k-anonymity:k=5", "t-closeness:t=0.2"], "0", "discernibility", 456_853_172.0, &[], 0),
    ("subset", &["presence:min=0,max=0.2"], "0", "classes", 52.0, &[], 0),
    // ARX lets no class of the population be lacking where min is above 0, since its share would be 0.
    ("subset", &["presence:min=0.05,max=0.15,strict=true"], "0", "classes", 150.8, &[], 0),
    (EIGHT, &["beta-likeness:kind=enhanced,beta=2"], "0", "loss", 0.759_176_305_345_683, &[], 0),
];

#[test]
#[allow(clippy::print_stderr)]
fn optima_of_arx() {
    let Ok(folder) = std::env::var("THRONG_ARX_DATA") else {
        eprintln!(
            "skipped: THRONG_ARX_DATA does not name the folder with adult.csv, adult_subset.csv and the hierarchies"
        );
        return;
    };
    let path = |file: &str| format!("{folder}/{file}");
    for (number, (quasi, models, suppress, quality, value, levels, suppressed)) in OPTIMA.into_iter().enumerate() {
        let sandbox = Sandbox::new();
        let is_subset = quasi == "subset";
        let file = path(if is_subset { "adult_subset.csv" } else { "adult.csv" });
        let population = path("adult.csv");
        let column = if is_subset { EIGHT } else { quasi };
        let mut arguments = vec!["protect", &file, "--kind", "table", "--out", "out", "--method", "full-domain"];
        arguments.extend(["--hierarchies", &folder, "--seed", "1", "--no-attacks", "--measure", "discernibility"]);
        arguments.extend(["--suppress", suppress, "--quality", quality]);
        // k-anonymity is asked for by --k, the other models beside it.
        let asks_k = models.is_empty() || models[0].starts_with("k-anonymity");
        arguments.extend(["--k", if asks_k { "5" } else { "1" }]);
        for model in models.iter().filter(|model| !model.starts_with("k-anonymity")) {
            arguments.extend(["--model", model]);
        }
        if is_subset {
            arguments.extend(["--population", &population]);
        }
        arguments.extend(["--column", column]);
        if column == EIGHT {
            arguments.push("sensitive=occupation");
        }
        let ran = sandbox.run(&arguments);
        assert_eq!(ran.code, 0, "{number}: {}", ran.stderr);
        let search = &sandbox.json("out/certificate.json")["search"];
        let found = search["value"].as_f64().unwrap();
        assert!((found - value).abs() <= 1e-9 * value, "{number}: {found} and not {value}");
        assert_eq!(search["suppressed_rows"], suppressed, "{number}");
        // Where two nodes have one value, either will do: nodes are compared where there is one.
        for (name, level) in COLUMNS.iter().zip(levels) {
            assert_eq!(search["levels"][name], *level, "{number} {name}");
        }
    }
}
