//! Running a command of the library from Python: on threads of its own, the interpreter left to others, Ctrl-C heard.
//!
//! The work runs in a pool of threads that is made for the call and ends with it, so that it works after `fork` and from any thread.
//! The thread that called looks every [`TICK`] whether a signal came, and tells whoever listens how far the work is, at most ten
//! times a second. Whatever Python raises there ends the work, and is raised when the work has ended: nothing goes on behind its back.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use crate::errors::exception;

/// How often signals are looked for.
const TICK: Duration = Duration::from_millis(20);
/// How often a listener hears, at most.
const BETWEEN: Duration = Duration::from_millis(100);
/// The stack of a thread: that of a main thread, for some work begins on one.
const STACK: usize = 8 << 20;
/// More threads are a mistake.
const MOST_THREADS: usize = 1024;

/// How a command runs.
#[pyclass(frozen, from_py_object)]
#[derive(Debug)]
pub(crate) struct Manner {
    threads: usize,
    listener: Option<Py<PyAny>>,
    /// Whether raw values may be shown.
    pub(crate) show_values: bool,
}

impl Clone for Manner {
    fn clone(&self) -> Self {
        let listener = Python::attach(|py| self.listener.as_ref().map(|listener| listener.clone_ref(py)));
        Self { threads: self.threads, listener, show_values: self.show_values }
    }
}

#[pymethods]
impl Manner {
    /// So many threads, all that there are when none is given; `listener` is called with stage, steps done and steps in all.
    #[new]
    #[pyo3(signature = (threads=None, listener=None, show_values=false))]
    fn new(py: Python<'_>, threads: Option<i64>, listener: Option<Py<PyAny>>, show_values: bool) -> PyResult<Self> {
        let all = || thread::available_parallelism().map_or(1, usize::from);
        let threads = match threads {
            None => all(),
            Some(number) => {
                usize::try_from(number).ok().filter(|number| (1..=MOST_THREADS).contains(number)).ok_or_else(|| {
                    let problem = format!("is {number}, but must be a whole number from 1 to {MOST_THREADS}");
                    exception(py, &Error::parameter("threads", problem), show_values)
                })?
            }
        };
        Ok(Self { threads, listener, show_values })
    }
}

/// How far the work is, and whether it is to end.
#[derive(Default)]
struct State {
    stopped: AtomicBool,
    done: AtomicU64,
    stage: Mutex<(String, u64)>,
}

impl Progress for State {
    fn stage(&self, name: &str, total: u64) {
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        *stage = (name.to_owned(), total);
        self.done.store(0, Ordering::Relaxed);
    }

    fn advance(&self, steps: u64) {
        self.done.fetch_add(steps, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

impl State {
    fn now(&self) -> (String, u64, u64) {
        let (name, total) = self.stage.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let done = self.done.load(Ordering::Relaxed);
        (name, if total > 0 { done.min(total) } else { done }, total)
    }
}

/// Runs some work, and gives what it gives.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    manner: &Manner,
    work: impl FnOnce(&dyn Progress) -> Result<T> + Send,
) -> PyResult<T> {
    let raise = |error: &Error| exception(py, error, manner.show_values);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(manner.threads).stack_size(STACK).build();
    let pool = pool.map_err(|cause| {
        raise(&Error::refused(format!("{} threads cannot be started", manner.threads)).with_cause(cause))
    })?;
    let state = State::default();
    let (sender, mut receiver) = mpsc::channel();
    let (raised, outcome) = thread::scope(|scope| {
        let state = &state;
        scope.spawn(move || {
            // Whoever waits is told of a bug of ours as of any other error.
            let outcome = catch_unwind(AssertUnwindSafe(|| pool.install(|| work(state))));
            let _ = sender.send(outcome.unwrap_or_else(|_| Err(Error::internal("a computation panicked"))));
        });
        let mut raised = None;
        let mut told = Told { last: Instant::now(), what: None };
        loop {
            let waiting = &mut receiver;
            match py.detach(move || waiting.recv_timeout(TICK)) {
                Ok(outcome) => break (raised, outcome),
                Err(RecvTimeoutError::Disconnected) => {
                    break (raised, Err(Error::internal("a computation ended without a result")));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if raised.is_none() {
                let heard = py.check_signals().and_then(|()| told.tell(py, manner, state));
                if let Err(error) = heard {
                    state.stopped.store(true, Ordering::Relaxed);
                    raised = Some(error);
                }
            }
        }
    });
    // A signal that came with the last steps counts: what the caller believes to be interrupted must not go on.
    match (raised.or_else(|| py.check_signals().err()), outcome) {
        (Some(error), _) => Err(error),
        (None, outcome) => outcome.map_err(|error| raise(&error)),
    }
}

/// What a listener was told last.
struct Told {
    last: Instant,
    what: Option<(String, u64, u64)>,
}

impl Told {
    /// Tells how far the work is, if that is due and new.
    fn tell(&mut self, py: Python<'_>, manner: &Manner, state: &State) -> PyResult<()> {
        let Some(listener) = &manner.listener else { return Ok(()) };
        if self.last.elapsed() < BETWEEN {
            return Ok(());
        }
        let now = state.now();
        if self.what.as_ref() != Some(&now) && !now.0.is_empty() {
            self.last = Instant::now();
            self.what = Some(now.clone());
            listener.call1(py, now)?;
        }
        Ok(())
    }
}
