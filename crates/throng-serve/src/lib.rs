//! The local page: a server for one person, on their own machine.
//!
//! # Idea
//! 1. It listens on 127.0.0.1 and nowhere else, and lets in whoever has the secret of the address that it printed: [`gate`].
//! 2. It holds files and runs in one private folder, which is removed at the end: [`files`], [`runs`].
//! 3. It computes nothing: a run is the program `throng`, which lies beside it. So this crate has network code and no method, and `throng` has
//!    methods and no network code.
//! 4. It logs nothing.
//!
//! # Cost
//! A thread a connection, each with limits for everything that is sent. What is uploaded goes to the disk as it comes.
//!
//! Does not   serve anybody else: there is no switch for another address, and none that leaves the secret out.

mod doors;
mod files;
mod gate;
mod http;
mod runs;
mod zip;

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use throng::pending::{self, Pending};
use throng_core::{Error, Result};

use crate::doors::Doors;
use crate::files::Files;
use crate::gate::{Gate, Passage};
use crate::http::{Answer, NoHead};
use crate::runs::Runs;

/// How many connections are answered at once.
const MOST_CONNECTIONS: usize = 512;
/// How often it is seen whether there is anything left to do.
const TICK: Duration = Duration::from_millis(250);
/// The stack of a thread that answers.
const STACK: usize = 512 << 10;

/// How to serve.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The only folder that the page may read from and save to.
    pub folder: Option<PathBuf>,
    /// The port; 0 for one that is free.
    pub port: u16,
    /// After how long without a request and without a run it ends; and a run that nobody asks about.
    pub idle: Duration,
    /// The most bytes of a file.
    pub largest: u64,
    /// How many threads a run takes, if not all.
    pub threads: Option<String>,
    /// The program `throng`.
    pub program: PathBuf,
}

/// Ends a server from outside.
#[derive(Debug, Clone, Default)]
pub struct Stopper(Arc<(Mutex<bool>, Condvar)>);

impl Stopper {
    /// Tells the server to end.
    pub fn stop(&self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.1.notify_all();
    }

    /// Whether it was told so, at the latest after some time.
    fn is_stopped_within(&self, time: Duration) -> bool {
        let stopped = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        if *stopped {
            return true;
        }
        *self.0.1.wait_timeout(stopped, time).unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Why a server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Somebody asked for it, on the page or from outside.
    Asked,
    /// Nobody wanted anything for a while.
    Idle,
}

/// A server that answers.
#[derive(Debug)]
pub struct Server {
    address: String,
    port: u16,
    note: Option<String>,
    idle: Duration,
    shared: Arc<Shared>,
    /// Everything that was uploaded and made. Removed with this.
    _private: Pending,
}

/// What every thread needs.
#[derive(Debug)]
struct Shared {
    gate: Gate,
    doors: Doors,
    stopper: Stopper,
    last: Mutex<Instant>,
    connections: AtomicUsize,
    /// How many of them were let in.
    inside: AtomicUsize,
}

/// Starts a server.
pub fn start(settings: &Settings, stopper: Stopper) -> Result<Server> {
    let folder = settings.folder.as_ref().map(|named| real_folder(named)).transpose()?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, settings.port)).map_err(|cause| match cause.kind() {
        std::io::ErrorKind::AddrInUse => Error::refused(format!("port {} is in use", settings.port))
            .with_hint("give another one, or `--port 0` for one that is free"),
        _ => Error::io(format!("listen on port {}", settings.port), cause),
    })?;
    let port = listener.local_addr().map_err(|cause| Error::io("listen", cause))?.port();
    let temporary = std::env::temp_dir();
    let failed = |cause| Error::io(format!("make a private folder in {}", temporary.display()), cause);
    let private = Pending::folder(&temporary.join("serve")).map_err(failed)?;
    let note = pending::tidy_beside(&[&private]);
    let files = Files::new(private.path(), folder, settings.largest).map_err(failed)?;
    let runs = Arc::new(Runs::new(settings.program.clone(), private.path()).map_err(failed)?);
    let (gate, secret) = Gate::new(port)?;
    let shared = Arc::new(Shared {
        gate,
        doors: Doors::new(files, runs, settings.threads.clone()),
        stopper,
        last: Mutex::new(Instant::now()),
        connections: AtomicUsize::new(0),
        inside: AtomicUsize::new(0),
    });
    let listening = Arc::clone(&shared);
    thread::spawn(move || listen(&listener, &listening));
    let address = format!("http://127.0.0.1:{port}/?secret={secret}");
    Ok(Server { address, port, note, idle: settings.idle, shared, _private: private })
}

/// The folder as it was named, and where it is. It must be one that can be looked into.
fn real_folder(named: &std::path::Path) -> Result<(PathBuf, PathBuf)> {
    let failed = |cause| Error::io(format!("read the folder {}", named.display()), cause);
    let real = std::fs::canonicalize(named).map_err(failed)?;
    std::fs::read_dir(&real).map_err(failed)?;
    Ok((named.to_owned(), real))
}

impl Server {
    /// The address that opens the page, once.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// What the user should know.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Serves until the end. Nothing is left then.
    pub fn serve(self) -> Ended {
        let tick = TICK.min(self.idle / 4).max(Duration::from_millis(1));
        let runs = &self.shared.doors.runs;
        let ended = loop {
            if self.shared.stopper.is_stopped_within(tick) {
                break Ended::Asked;
            }
            runs.stop_forgotten(self.idle);
            let last = *self.shared.last.lock().unwrap_or_else(PoisonError::into_inner);
            let is_busy = runs.is_busy() || self.shared.inside.load(Ordering::Relaxed) > 0;
            if !is_busy && last.elapsed() >= self.idle {
                break Ended::Idle;
            }
        };
        self.shared.stopper.stop();
        // Whoever listens is woken, sees that it is over, and lets the port go.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        runs.close();
        ended
    }
}

fn listen(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.stopper.is_stopped_within(Duration::ZERO) {
            return;
        }
        let Ok(stream) = stream else {
            // No more can be open at once: those that are will be closed.
            thread::sleep(Duration::from_millis(20));
            continue;
        };
        if shared.connections.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
            shared.connections.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let own = Arc::clone(shared);
        let answering = move || {
            answer(stream, &own);
            own.connections.fetch_sub(1, Ordering::Relaxed);
        };
        if thread::Builder::new().stack_size(STACK).spawn(answering).is_err() {
            shared.connections.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Answers whoever connected.
fn answer(stream: TcpStream, shared: &Shared) {
    let (mut connection, head) = http::open(stream);
    let head = match head {
        Ok(head) => head,
        Err(NoHead::Gone) => return,
        Err(NoHead::Refused(status, sentence)) => return connection.answer(Answer::sentence(status, sentence)),
    };
    match shared.gate.passage(&head) {
        Passage::Refused => connection.answer(Answer::sentence(
            403,
            "Only the browser that opened the address printed by `throng serve` gets in, and that address works once.",
        )),
        Passage::Welcome(cookie) => connection
            .answer(Answer::sentence(303, "Go on.").with("Location", "/".to_owned()).with("Set-Cookie", cookie)),
        Passage::In => {
            let asked = || *shared.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
            shared.inside.fetch_add(1, Ordering::Relaxed);
            let answer = shared.doors.answer(&head, &mut connection);
            connection.answer(answer);
            asked();
            shared.inside.fetch_sub(1, Ordering::Relaxed);
            if head.method == "POST" && head.path == "/api/quit" {
                shared.stopper.stop();
            }
        }
    }
}
