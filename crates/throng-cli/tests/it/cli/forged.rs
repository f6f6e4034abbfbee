//! Releases that somebody changed, with the hash in their certificate mended: nothing is let pass that was not compared. Found by playing the
//! attacker on releases of our own.

use std::fs;

use crate::support::Sandbox;

const TABLE: &[&str] = &["--column", "quasi=age,zip", "sensitive=income", "plain=country"];

impl Sandbox {
    /// A release of a made-up table, in a format.
    fn release_of_table(format: &str) -> Self {
        let sandbox = Self::new();
        sandbox.done(&["synth", "table", "--persons", "80", "--seed", "4", "--out", "made.csv"]);
        let protect = ["protect", "made.csv", "--out", "out", "--k", "4", "--seed", "1", "--format", format];
        sandbox.done(&[&protect[..], TABLE].concat());
        sandbox
    }

    /// Puts other data into the release, and their hash into its certificate.
    fn forge(&self, file: &str, bytes: impl AsRef<[u8]>, change: impl FnOnce(String) -> String) {
        let certificate = self.read("out/certificate.json");
        let before = self.json("out/certificate.json")["output"]["sha256"].as_str().unwrap().to_owned();
        self.write(&format!("out/{file}"), bytes);
        let hash = throng::io::hash_file(&self.path("out").join(file)).unwrap();
        self.write("out/certificate.json", change(certificate.replace(&before, &hash)));
        for report in ["report.html", "report.json"] {
            let _ = fs::remove_file(self.path("out").join(report));
        }
    }

    fn fails(&self, what: &str) {
        let ran = self.run(&["check", "out"]);
        assert!(ran.code == 1 && format!("{}{}", ran.stdout, ran.stderr).contains(what), "{what}: {ran:?}");
    }
}

#[test]
fn columns_that_the_certificate_does_not_name() {
    let sandbox = Sandbox::release_of_table("csv");
    let data = sandbox.read("out/data.csv");
    sandbox.forge("data.csv", &data, |certificate| certificate);
    assert_eq!(sandbox.run(&["check", "out"]).code, 0, "as it was");
    // One more column, with a name a row.
    let more: String = data
        .lines()
        .enumerate()
        .map(|(at, line)| if at == 0 { format!("{line},patient\n") } else { format!("{line},ann {at}\n") })
        .collect();
    sandbox.forge("data.csv", more, |certificate| certificate);
    sandbox.fails("names other columns");
    // A quasi column under another name, so that nobody judges it.
    sandbox.forge("data.csv", data.replacen("age", "Age", 1), |certificate| certificate);
    sandbox.fails("names other columns");
    // A column that is only in the certificate, and says something.
    let honest = sandbox.read("out/certificate.json");
    let ghost = "    \"columns\": [\n      {\n        \"name\": \"ann is in line 3\",\n        \"role\": \"plain\",\n        \"type\": \"text\"\n      },\n";
    sandbox.forge("data.csv", &data, |certificate| certificate.replacen("    \"columns\": [\n", ghost, 1));
    sandbox.fails("names other columns");
    sandbox.write("out/certificate.json", honest);
    let report = sandbox.json("out/certificate.json")["report_sha256"].as_str().unwrap().to_owned();
    sandbox.forge("data.csv", &data, |certificate| certificate.replace(&report, "ann"));
    sandbox.fails("report_sha256");
}

#[test]
fn bytes_behind_the_description_of_a_parquet_file() {
    let sandbox = Sandbox::release_of_table("parquet");
    let data = fs::read(sandbox.path("out").join("data.parquet")).unwrap();
    let (rest, tail) = data.split_at(data.len() - 8);
    let length = u32::from_le_bytes(tail[..4].try_into().unwrap());
    let words = b"ann,240.1.2.3\n";
    let longer = (length + words.len() as u32).to_le_bytes();
    sandbox.forge("data.parquet", [rest, words, &longer, b"PAR1"].concat(), |certificate| certificate);
    sandbox.fails("after the description");
    sandbox.forge("data.parquet", &data, |certificate| certificate);
    assert_eq!(sandbox.run(&["check", "out"]).code, 0, "as it was");
}

/// A column of a table is meant by its name, whatever its role; a request of an access log says a method.
#[test]
fn policies_know_columns_by_their_names() {
    let sandbox = Sandbox::release_of_table("csv");
    sandbox.done(&["synth", "visits", "--persons", "60", "--seed", "1", "--out", "access.log"]);
    sandbox.done(&["protect", "access.log", "--out", "visits", "--k", "3", "--seed", "1"]);
    for (field, release, code) in [
        ("age", "out", 1),
        ("income", "out", 1),
        ("country", "out", 1),
        ("quasi", "out", 1),
        ("sex", "out", 0),
        ("method", "visits", 1),
        ("path", "visits", 1),
        ("rank", "visits", 0),
    ] {
        sandbox.write("policy.toml", format!("format = 1\nrule = [{{ name = \"a\", never = [\"{field}\"] }}]\n"));
        let ran = sandbox.run(&["policy", "check", "policy.toml", release]);
        assert_eq!(ran.code, code, "{field}: {ran:?}");
    }
}

/// What load balancers write of bytes that are no request is no visit; it was an internal error.
#[test]
fn requests_that_are_none_at_a_load_balancer() {
    let sandbox = Sandbox::new();
    let line = |visitor: u32, request: &str| {
        format!(
            "https 2024-03-07T11:00:{:02}.186641Z app/lb/50 192.0.2.{visitor}:2817 10.0.0.1:80 0.08 0.04 0.03 200 200 0 57 \"{request}\" \"curl/7.46.0\" E T arn \"R\" \"h\" \"y\" 1 2024-03-07T11:00:01.186641Z \"f\" \"-\" \"-\" \"10.0.0.1:80\" \"200\" \"-\" \"-\"\n",
            visitor % 60
        )
    };
    let fine = (1..20).map(|visitor| line(visitor, "GET https://www.example.com:443/ HTTP/1.1")).collect::<String>();
    for request in ["- http://www.example.com:80- -", "\\x16\\x03\\x01", "/x", "GET"] {
        sandbox.write("alb.log", format!("{fine}{}", line(3, request)));
        let ran = sandbox.run(&["protect", "alb.log", "--out", "out", "--k", "3", "--overwrite"]);
        assert_eq!(ran.code, 0, "{request}: {ran:?}");
    }
}
