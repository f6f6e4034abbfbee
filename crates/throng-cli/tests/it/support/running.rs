//! A command while it runs: wait for a moment of it, and end it there.
//!
//! A machine may be slow, or look away for a while. So nothing here is judged by the clock: a command that was over before
//! the moment was seen is started again, and only one that never shows it is an error.

use std::process::{Child, Stdio};
use std::time::Duration;

use super::{Ran, Sandbox};

/// How often a command is started before the moment counts as one that does not come.
const TRIES: usize = 20;

/// Starts a command and gives it as soon as something is due and it is still running. `again` makes the folder ready for the
/// next try.
pub(crate) fn running_when(sandbox: &Sandbox, args: &[&str], is_due: impl Fn() -> bool, again: impl Fn()) -> Child {
    for _ in 0..TRIES {
        // Nobody reads while it runs: a pipe could fill up.
        let mut child = sandbox.command(args).stdout(Stdio::null()).spawn().unwrap();
        while !is_due() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        if child.try_wait().unwrap().is_none() {
            return child;
        }
        let ended = ended(child);
        assert_eq!(ended.code, 0, "it ended by itself: {ended:?}");
        again();
    }
    panic!("the moment never came: {args:?}");
}

/// Waits for the end of a command.
pub(crate) fn ended(child: Child) -> Ran {
    Ran::from(child.wait_with_output().unwrap())
}

/// Kills a command, as a power cut would.
pub(crate) fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Interrupts a command, as Ctrl-C does, and waits for its end.
#[cfg(unix)]
pub(crate) fn interrupt(child: Child) -> Ran {
    // The shell's own `kill`: there need not be a program of that name.
    let asked = std::process::Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap();
    assert!(asked.success());
    ended(child)
}
