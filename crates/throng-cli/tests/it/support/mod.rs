//! Running the real command in a folder of its own, and comparing what it says with a text file.

pub(crate) mod browser;
pub(crate) mod running;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A folder in which commands run.
pub(crate) struct Sandbox {
    folder: TempDir,
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A folder that holds small baskets as `baskets.dat`, with a taxonomy `food.csv` and a list `sensitive.txt`.
    pub(crate) fn with_baskets() -> Self {
        let sandbox = Self::new();
        sandbox.write("baskets.dat", BASKETS);
        sandbox.write("food.csv", FOOD);
        sandbox.write("sensitive.txt", "Beef\n");
        sandbox
    }

    /// A folder that holds the small log as `log.tsv`.
    pub(crate) fn with_log() -> Self {
        let sandbox = Self::new();
        sandbox.write("log.tsv", LOG);
        sandbox
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// The command, ready to run in this folder.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
        command.args(args).current_dir(self.folder.path()).env_remove("COLUMNS").env("NO_COLOR", "1");
        for variable in ["THRONG_THREADS", "THRONG_MEMORY", "THRONG_QUIET", "THRONG_POLICY"] {
            command.env_remove(variable);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::from(self.command(args).output().unwrap())
    }

    /// Runs a command that must succeed.
    pub(crate) fn done(&self, args: &[&str]) -> Ran {
        let ran = self.run(args);
        assert_eq!(ran.code, 0, "{args:?}: {ran:?}");
        ran
    }

    /// Every file and folder below, sorted; hidden ones too. What a running command removes meanwhile is not there.
    pub(crate) fn listing(&self) -> Vec<String> {
        fn walk(root: &Path, folder: &Path, into: &mut Vec<String>) {
            let Ok(entries) = fs::read_dir(folder) else { return };
            for entry in entries {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(root).unwrap().display().to_string();
                if path.is_dir() {
                    into.push(format!("{name}/"));
                    walk(root, &path, into);
                } else {
                    into.push(name);
                }
            }
        }
        let mut names = Vec::new();
        walk(self.folder.path(), self.folder.path(), &mut names);
        names.sort();
        names
    }

    /// Runs a command and compares code, output and what lies in the folder with `snapshots/NAME.txt`; `UPDATE=1` writes
    /// the file instead.
    pub(crate) fn snapshot(&self, name: &str, args: &[&str]) -> Ran {
        let ran = self.run(args);
        let mut text = format!("$ throng {}\nexit {}\n", args.join(" "), ran.code);
        for (title, part) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
            if !part.is_empty() {
                let _ = write!(text, "--- {title}\n{part}");
            }
        }
        let _ =
            write!(text, "--- folder\n{}", self.listing().iter().map(|name| format!("{name}\n")).collect::<String>());
        let text = self.filter(&text);
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(format!("{name}.txt"));
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&file, &text).unwrap();
        }
        let expected = fs::read_to_string(&file).unwrap_or_default();
        assert!(
            text == expected,
            "{} does not say what the command says; if the command is right: UPDATE=1 cargo test\n\
             ===== expected\n{expected}\n===== found\n{text}",
            file.display()
        );
        ran
    }

    /// Leaves out what differs from run to run and from version to version.
    fn filter(&self, text: &str) -> String {
        let text = text.replace(&self.folder.path().display().to_string(), "[folder]");
        let text = text.replace(env!("CARGO_PKG_VERSION"), "[version]");
        let mut filtered = String::new();
        let mut hex = String::new();
        for letter in text.chars().chain(['\0']) {
            if letter.is_ascii_digit() || ('a'..='f').contains(&letter) {
                hex.push(letter);
                continue;
            }
            filtered.push_str(if hex.len() == 64 { "[sha256]" } else { &hex });
            hex.clear();
            filtered.push(letter);
        }
        filtered.pop();
        without_key_ids(&filtered)
    }
}

/// Leaves out the ids of keys: sixteen hexadecimal digits.
fn without_key_ids(text: &str) -> String {
    let (mut filtered, mut digits) = (String::new(), String::new());
    for letter in text.chars().chain(['\0']) {
        if letter.is_ascii_digit() || ('A'..='F').contains(&letter) {
            digits.push(letter);
            continue;
        }
        // Digits of a fraction are no key.
        let is_key = digits.len() == 16 && !filtered.ends_with('.');
        filtered.push_str(if is_key { "[key]" } else { &digits });
        digits.clear();
        filtered.push(letter);
    }
    filtered.pop();
    filtered
}

/// A small log of seven persons, in AOL's form. Everything in it that nobody may see unasked has SECRET in it.
pub(crate) const LOG: &str = "\
AnonID\tQuery\tQueryTime\tItemRank\tClickURL
SECRETann\tgarden roses\t2006-03-01 10:00:00\t1\thttp://www.roses.example
SECRETann\tSECRET clinic\t2006-03-01 10:05:00
SECRETbob\tused cars\t2006-03-02 18:00:00\t3\thttp://cars.example/list
SECRETbob\tcar insurance\t2006-03-02 18:10:00\t\t
SECRETcid\tgarden rose\t2006-03-01 11:00:00\t2\thttp://shop.roses.example
SECRETdan\tused car\t2006-03-02 19:00:00\t1\thttp://www.cars.example
SECRETdan\tcar insurance\t2006-03-02 19:10:00
SECRETeve\tweather\t2006-03-03 07:00:00\t1\thttp://weather.example
SECRETeve\tgarden roses\t2006-03-03 07:30:00
SECRETfay\tweather\t2006-03-03 08:00:00\t1\thttp://weather.example
SECRETgus\tweather\t2006-03-04 08:00:00
SECRETgus\tweather\t2006-03-05 08:00:00\t2\thttp://www.weather.example
";

/// Seven baskets, one of them empty. An item that nobody may see unasked has SECRET in it.
pub(crate) const BASKETS: &str = "\
Orange Chicken Beef
Banana Beef Cheese
Chicken Milk Butter

Apple Chicken SECRETmilk
Chicken Beef
Apple Milk
";

/// What lies under what in the baskets.
pub(crate) const FOOD: &str = "\
child,parent
Fruit,Food
Meat,Food
Dairy,Food
Apple,Fruit
Orange,Fruit
Banana,Fruit
Beef,Meat
Chicken,Meat
Milk,Dairy
SECRETmilk,Dairy
Cheese,Dairy
Butter,Dairy
";
