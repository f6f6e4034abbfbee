//! The command with everything that the catalogue and the kinds of data add to it, and the parsing of arguments.

use std::ffi::OsString;

use clap::{Arg, ArgMatches, CommandFactory as _, FromArgMatches as _};
use throng::catalog::Role;
use throng::kinds::{AnyKind, KINDS};
use throng_core::{Parameter, ParameterKind};

use super::{Cli, meaningless};

/// Something that each kind of data has, in a sentence: `what A for a, what B for b`.
fn of_kinds(what: impl Fn(&dyn AnyKind) -> String, between: &str) -> String {
    KINDS.iter().map(|kind| what(*kind)).collect::<Vec<_>>().join(between)
}

/// The command with everything the catalogue adds to it.
pub(crate) fn command() -> clap::Command {
    let mut command = Cli::command();
    for name in ["protect", "check"] {
        command = command.mut_subcommand(name, |subcommand| {
            // What a method and the reading of a file are both told is one flag.
            let is_new =
                |parameter: &&Parameter| subcommand.get_arguments().all(|flag| flag.get_id() != parameter.name);
            let more: Vec<Arg> = catalogued(name).into_iter().filter(is_new).map(argument).collect();
            subcommand.args(more)
        });
    }
    for name in ["check", "report"] {
        command = command.mut_subcommand(name, |command| command.mut_arg("original", |flag| flag.hide(false)));
    }
    command = command.mut_subcommand("audit", |audit| {
        audit.mut_arg("k", |flag| flag.help("How many persons must look the same, at least [default: 5]"))
    });
    command = command.mut_subcommand("attack", |attack| {
        attack
            .mut_arg("p", |flag| {
                flag.value_name("1..5").help("How many searches or items of a person are known, each [default: 1..5]")
            })
            .mut_arg("k", |flag| {
                flag.help("How many persons should look the same [default: what the release's certificate claims]")
            })
            .mut_arg("seed", |flag| flag.help("The seed of targets and draws [default: 0]"))
            .mut_arg("key", |flag| {
                flag.help("The link between persons and pseudonyms, as protect wrote it [default: equal ids]")
            })
    });
    let defaults = of_kinds(
        |kind| {
            let default = kind.listed().into_iter().find(|listed| listed.role == Role::Method);
            let name = default.map_or("none", |listed| listed.info.name);
            format!("{name} for {}{}", kind.card().name, kind.card().other_default)
        },
        ", ",
    );
    command = command.mut_subcommand("protect", |protect| {
        protect.mut_arg("method", |flag| flag.help(format!("How to protect [default: {defaults}]")))
    });
    let names = of_kinds(|kind| kind.card().name.to_owned(), ", ");
    command = command
        .mut_subcommand("synth", |synth| synth.mut_arg("what", |flag| flag.help(format!("What to make up: {names}"))));
    let roles = of_kinds(|kind| format!("{}: {}", kind.card().name, kind.card().roles), "; ");
    let column = format!(
        "Which column holds what, by its name or number [default: guessed from the header]; {roles}. Put FILE before it"
    );
    command.mut_subcommands(|mut command| {
        if command.get_arguments().any(|flag| flag.get_id() == "column") {
            command = command.mut_arg("column", |flag| flag.help(column.clone()));
        }
        for flag in meaningless(command.get_name()) {
            command = command.mut_arg(flag, |flag| flag.hide(true));
        }
        command
    })
}

/// Reads the arguments: the command, and the parameters of methods or models that the catalogue added.
pub(crate) fn parse(args: Vec<OsString>) -> std::result::Result<(Cli, Vec<(String, String)>), clap::Error> {
    let matches = command().try_get_matches_from(without_help_of_help(args))?;
    let parameters = matches.subcommand().map(|(name, matches)| typed_parameters(name, matches)).unwrap_or_default();
    Ok((Cli::from_arg_matches(&matches)?, parameters))
}

/// `throng help --help` asks for what `throng help` gives: the command that shows help has none of its own.
fn without_help_of_help(mut args: Vec<OsString>) -> Vec<OsString> {
    let command = args.iter().skip(1).find(|argument| !argument.as_encoded_bytes().starts_with(b"-"));
    if command.is_some_and(|command| command == "help") {
        args.retain(|argument| argument != "--help" && argument != "-h");
    }
    args
}

/// Whether arguments that cannot be understood have a flag.
pub(crate) fn have(args: &[OsString], flag: &str) -> bool {
    args.iter().take_while(|argument| *argument != "--").any(|argument| argument == flag)
}

/// What tables round without a value, and ratings to one.
const ROUND: &str = "round";

fn typed_parameters(command: &str, matches: &ArgMatches) -> Vec<(String, String)> {
    let typed = |parameter: &Parameter| {
        // The bare flag `--round` is that of tables.
        let text =
            matches.get_one::<String>(parameter.name).filter(|text| parameter.name != ROUND || *text != "true")?;
        Some((parameter.name.to_owned(), text.clone()))
    };
    catalogued(command).into_iter().filter_map(typed).collect()
}

/// Parameters that the catalogue adds to a command, each once, without those that are flags of every command: those of
/// all methods to `protect`, those of all models to `check`.
fn catalogued(command: &str) -> Vec<&'static Parameter> {
    // The last ones are said of a model itself, for flags of these names mean something else.
    const SHARED: [&str; 8] = ["k", "m", "h", "p", "rho", "exact", "kind", "column"];
    let role = match command {
        "protect" => Role::Method,
        "check" => Role::Model,
        _ => return Vec::new(),
    };
    // One name may stand on the shelves of several kinds, with other parameters on each.
    let listed = KINDS.iter().flat_map(|kind| kind.listed()).filter(|listed| listed.role == role);
    let mut parameters: Vec<&Parameter> = Vec::new();
    for parameter in listed.flat_map(|listed| listed.info.parameters) {
        if !SHARED.contains(&parameter.name) && parameters.iter().all(|known| known.name != parameter.name) {
            parameters.push(parameter);
        }
    }
    parameters
}

fn argument(parameter: &'static Parameter) -> Arg {
    let argument = Arg::new(parameter.name).long(parameter.name).help_heading("Parameters of methods and models").help(
        match parameter.kind {
            ParameterKind::Choice(choices) => {
                format!("{}: {} [default: {}]", parameter.summary, choices.join(", "), parameter.default)
            }
            _ => format!("{} [default: {}]", parameter.summary, parameter.default),
        },
    );
    match parameter.kind {
        ParameterKind::Choice(_) => argument.value_name("WHICH"),
        ParameterKind::Duration => argument.value_name("SPAN"),
        ParameterKind::Share => argument.value_name("SHARE"),
        ParameterKind::Weight => argument.value_name("WEIGHT"),
        ParameterKind::Text => argument.value_name("NAME"),
        // The bare flag says yes.
        ParameterKind::Switch => {
            argument.value_name("true|false").num_args(0..=1).require_equals(true).default_missing_value("true")
        }
        _ => argument.value_name("N"),
    }
}
