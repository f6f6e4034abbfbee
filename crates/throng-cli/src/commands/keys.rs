//! `throng keys` and `throng certificate`.

use throng::run;
use throng::words::{Line, as_text};
use throng_core::Result;

use super::Done;
use crate::args::{CertificateArgs, KeysArgs, KeysCommand};
use crate::printer::Printer;

pub(super) fn run(args: &KeysArgs, printer: &Printer) -> Result<Done> {
    let KeysCommand::New(args) = &args.command;
    let made = run::new_keys(&args.out, args.password_file.as_deref())?;
    if !made.has_password {
        printer.note(
            "the secret key has no password: whoever reads its file signs as you do; `--password-file` gives it one",
        );
    }
    if printer.json {
        printer.json(&made)?;
    } else if printer.wants_summary() {
        printer.text(&as_text(&[
            Line::new("secret", format!("{}: signs; never publish it", made.secret.display())),
            Line::new(
                "public",
                format!("{}: verifies; give it to everybody, by a way that they trust", made.public.display()),
            ),
            Line::new("id", made.id),
        ]))?;
    }
    Ok(Done::Fine)
}

pub(super) fn certificate(args: &CertificateArgs, printer: &Printer) -> Result<Done> {
    if args.format == "in-toto" {
        printer.json(&run::statement(&args.release)?)?;
    } else {
        printer.json(&run::certificate(&args.release)?)?;
    }
    Ok(Done::Fine)
}
