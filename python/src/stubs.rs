//! The stub of the package, `throng/__init__.pyi`: what is always the same from a template, and the keywords of every function.

use std::fmt::Write as _;

use throng::keywords::{self, ParameterKindName, Shape, Tongue};

/// Functions that have keywords of their own.
const FUNCTIONS: [&str; 8] = ["protect", "inspect", "check", "measure", "attack", "audit", "compare", "synth"];

/// What does not depend on the catalogue; `…keywords of NAME…` stands where keywords of a function come.
const TEMPLATE: &str = include_str!("template.pyi");

/// The stub.
pub(crate) fn stub() -> String {
    let mut stub = TEMPLATE.to_owned();
    for function in FUNCTIONS {
        let mark = format!("    # keywords of {function}\n");
        let (before, _) = stub.split_once(&mark).unwrap_or((&stub, ""));
        // What the template names by itself is not said twice.
        let head = before.rsplit("def ").next().unwrap_or_default().to_owned();
        let is_new = |name: &str| !head.contains(&format!(" {name}:"));
        let mut lines = String::new();
        for keyword in keywords::of(function, Tongue::Python).iter().filter(|keyword| is_new(&keyword.name)) {
            let _ = writeln!(lines, "    {}: {} | None = ...,", keyword.name, python_type(keyword.shape));
        }
        stub = stub.replace(&mark, &lines);
    }
    stub
}

/// What a keyword takes, in Python's words.
fn python_type(shape: Shape) -> String {
    match shape {
        Shape::Text
        | Shape::Person
        | Shape::MadeUp
        | Shape::Kind
        | Shape::Format
        | Shape::Delimiter
        | Shape::Encoding
        | Shape::Unknown => "str",
        Shape::Texts | Shape::List | Shape::Models => "str | Sequence[str]",
        Shape::Path => "Path",
        Shape::Paths => "Path | Sequence[Path]",
        Shape::Switch | Shape::Parameter(ParameterKindName::Switch) => "bool",
        Shape::Count | Shape::Parameter(ParameterKindName::Count) => "int",
        Shape::Counts => "int | str | Iterable[int]",
        Shape::Number | Shape::Parameter(ParameterKindName::Number) => "float",
        Shape::Choice(choices) => {
            let choices: Vec<String> = choices.iter().map(|choice| format!("\"{choice}\"")).collect();
            return format!("Literal[{}]", choices.join(", "));
        }
        Shape::Columns => "Mapping[str, str | int | Sequence[str] | None]",
        Shape::Named => "Mapping[str, Path] | Sequence[str]",
        Shape::Span | Shape::Memory => "str | int",
        Shape::Parameter(ParameterKindName::Text) => "str",
    }
    .to_owned()
}
