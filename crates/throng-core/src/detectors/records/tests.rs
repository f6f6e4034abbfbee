use super::features::Features;
use super::*;
use crate::learn::svm::SvmParams;
use crate::progress::Silent;

fn table(text: &str) -> Records {
    let mut lines = text.lines().map(|line| line.split(',').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Records::of_rows(&names, &lines.collect::<Vec<_>>())
}

const SMALL: &str = "duration,service,label\n1,http,normal.\n2,smtp,normal.\n9,http,smurf.\n8,ftp,back.";

#[test]
fn features_by_hand() {
    let records = table(SMALL);
    let features = Features::of(&records, "label").unwrap();
    assert_eq!(features.names(), ["duration", "service=ftp", "service=http", "service=smtp"]);
    let (rows, unseen) = features.rows(&records, "label").unwrap();
    assert_eq!((rows.row(0), rows.row(3), unseen), (&[1.0, 0.0, 1.0, 0.0][..], &[8.0, 1.0, 0.0, 0.0][..], 0));
    // A value that is new is none of them; the order of columns is that of the training table.
    let other = table("service,duration\ntelnet,4");
    let (rows, unseen) = features.rows(&other, "label").unwrap();
    assert_eq!((rows.row(0), unseen), (&[4.0, 0.0, 0.0, 0.0][..], 1));
}

#[test]
fn what_does_not_fit_is_said() {
    let records = table(SMALL);
    let features = Features::of(&records, "label").unwrap();
    let problem = |text: &str| features.rows(&table(text), "label").unwrap_err().describe(false);
    assert!(problem("duration\n1").contains("a column `service`"));
    assert!(problem("duration,service,more\n1,http,2").contains("a column `more`"));
    for bad in ["NaN", "inf", "many"] {
        let said = problem(&format!("duration,service\n1,http\n{bad},http"));
        assert!(said.contains("not a finite number") && said.contains("line 3") && said.contains("duration"), "{said}");
    }
    assert!(problem("duration,service\n,http").contains("a cell is empty"));
    let train = |text: &str| Features::of(&table(text), "label").unwrap_err().describe(false);
    assert!(train("a,label\n1,x\nNaN,y").contains("not a finite number"));
    assert!(train("a,label\n1,x\n,y").contains("a cell is empty"));
    assert!(train("label\nx").contains("no column but the label"));
}

#[test]
fn labels_by_hand() {
    let records = table(SMALL);
    let rule = LabelRule::settle(&records, "label", None, None).unwrap();
    assert_eq!(rule.truth(&records).unwrap(), [false, false, true, true]);
    let rule = LabelRule::settle(&records, "label", Some("smurf."), None).unwrap();
    assert_eq!(rule.truth(&records).unwrap(), [false, false, true, false]);
    let problem = |column: &str, positive: Option<&str>, text: &str| {
        LabelRule::settle(&table(text), column, positive, None).unwrap_err().describe(false)
    };
    assert!(problem("labl", None, SMALL).contains("`label`"));
    assert!(problem("label", Some("neptune"), SMALL).contains("no row has the label"));
    assert!(problem("label", None, "a,label\n1,x\n2,y").contains("positive-label"));
    assert!(problem("label", Some("x"), "a,label\n1,x\n2,x").contains("one side"));
    assert!(rule.truth(&table("duration\n1")).unwrap_err().to_string().contains("no column `label`"));
}

#[test]
fn a_machine_over_a_table() {
    let records = table(SMALL);
    let rule = LabelRule::settle(&records, "label", None, None).unwrap();
    let model = svm::SvmModel::train(&records, &rule, &SvmParams::default(), &Silent).unwrap();
    let learnt = Learnt::Svm(model);
    let (scores, _) = learnt.scores(&records, "label").unwrap();
    assert!(scores[0] < 0.0 && scores[1] < 0.0 && scores[2] > 0.0 && scores[3] > 0.0, "{scores:?}");
    let text = serde_json::to_string(&learnt).unwrap();
    assert!(text.contains(r#""detector":"svm""#));
    assert_eq!(serde_json::from_str::<Learnt>(&text).unwrap(), learnt);
    assert!(serde_json::from_str::<Learnt>(&text.replace("\"cost\"", "\"costs\"")).is_err());
    let constant = table("a,b,label\n1,x,normal\n1,x,bad");
    let error = svm::SvmModel::train(&constant, &rule, &SvmParams::default(), &Silent).unwrap_err();
    assert!(error.to_string().contains("same features"));
}

#[test]
fn records_of_kdd_are_known_without_a_header() {
    let line = "0,tcp,http,SF,181,5450,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,8,8,0.00,0.00,0.00,0.00,1.00,0.00,0.00,9,9,1.00,0.00,0.11,0.00,0.00,0.00,0.00,0.00,normal.";
    let cells: Vec<&str> = line.split(',').collect();
    assert_eq!(kdd::without_header(&cells), Some(42));
    assert_eq!(kdd::without_header(&cells[..41]), Some(41));
    assert_eq!(kdd::without_header(&cells[..40]), None);
    assert_eq!(kdd::without_header(&kdd::COLUMNS), None);
    assert_eq!(kdd::family("guess_passwd."), Some(kdd::Family::R2l));
    assert_eq!(kdd::family("normal."), None);
}

#[test]
fn rows_with_the_same_cells_have_the_same_hash() {
    let records = table("a,b\n1,x\n1,y\n1,x");
    let columns: Vec<&Column> = records.columns.iter().collect();
    let hashes = row_hashes(&columns, 3);
    assert!(hashes[0] == hashes[2] && hashes[0] != hashes[1] && hashes[0].len() == 16);
}
