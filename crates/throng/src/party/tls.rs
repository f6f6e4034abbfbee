//! Messages over TLS 1.3 between two parties: the one place that opens a socket, in builds with the feature `network` only.
//!
//! Both have a certificate of their own ([`certificate`] makes one), and each is given the other's: what the other side shows must be that certificate, byte by byte, and
//! nobody else's opinion of it counts. A message is its length (eight bytes, the highest first) and its text. Only the address that was given is used, and only a
//! literal one: no name is resolved but `localhost`, which is 127.0.0.1.

use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, ring, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, DistinguishedName, ServerConfig,
    ServerConnection, SignatureScheme, Stream,
};
use serde_json::json;
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::files::{Finished, Steps, made_file};
use super::folder::{steps_of, to_the_end};
use super::talk::{About, Carrier, Given, Halt, Talk};
use super::{Tls, Transport};
use crate::pending;

/// How long a read waits before it looks whether the run was stopped.
const SLICE: Duration = Duration::from_millis(200);

/// The longest message.
const MOST_BYTES: u64 = 1 << 33;

/// Runs a protocol of two parties to its end over TLS.
pub(super) fn by_tls(
    tls: &Tls,
    transport: &Transport,
    out: Option<&Path>,
    about: About,
    progress: &dyn Progress,
    protocol: impl FnOnce(&mut Talk<'_>) -> std::result::Result<Finished, Halt>,
) -> Result<Steps> {
    let mut connection = Connection::open(tls, Duration::from_secs(transport.timeout), progress)?;
    let (session, finished) = to_the_end(about.clone(), out, &mut connection, protocol)?;
    connection.close();
    let sent = std::mem::take(&mut connection.sent);
    steps_of(about, session, sent, finished, out)
}

/// Either side of a connection.
enum Side {
    Client(Box<ClientConnection>),
    Server(Box<ServerConnection>),
}

struct Connection<'a> {
    side: Side,
    socket: TcpStream,
    place: String,
    timeout: Duration,
    sent: Vec<serde_json::Value>,
    progress: &'a dyn Progress,
}

impl<'a> Connection<'a> {
    fn open(tls: &Tls, timeout: Duration, progress: &'a dyn Progress) -> Result<Self> {
        let (address, listens) = match (&tls.listen, &tls.connect) {
            (Some(address), None) => (address, true),
            (None, Some(address)) => (address, false),
            _ => return Err(Error::refused("one of `--listen` and `--connect` is needed, and not both")),
        };
        let address = literal(address, tls.allow_network)?;
        let own = certificates(tls.certificate.as_deref(), "tls-cert")?;
        let key_file = tls.key.as_deref().ok_or_else(|| missing("tls-key"))?;
        pending::refuse_readable_by_others(key_file, "key of the certificate")?;
        let key = PrivateKeyDer::from_pem_slice(&read(key_file)?).map_err(|_| no_pem(key_file, "private key"))?;
        let peer = certificates(tls.peer.as_deref(), "peer-cert")?.remove(0);
        let provider = Arc::new(ring::default_provider());
        let pinned = Arc::new(Pinned { peer, algorithms: provider.signature_verification_algorithms });
        let place = address.to_string();
        let (side, socket) = if listens {
            let config = server(provider, pinned, own, key).map_err(|cause| unusable(cause, &place))?;
            let socket = accepted(address, timeout, progress)?;
            let connection = ServerConnection::new(Arc::new(config)).map_err(|cause| unusable(cause, &place))?;
            (Side::Server(Box::new(connection)), socket)
        } else {
            let config = client(provider, pinned, own, key).map_err(|cause| unusable(cause, &place))?;
            let name = ServerName::IpAddress(address.ip().into());
            let connection = ClientConnection::new(Arc::new(config), name).map_err(|cause| unusable(cause, &place))?;
            (Side::Client(Box::new(connection)), connected(address, timeout, progress)?)
        };
        let failed = |cause| Error::io(format!("use the connection to {place}"), cause);
        socket.set_nonblocking(false).map_err(failed)?;
        socket.set_read_timeout(Some(SLICE)).map_err(failed)?;
        socket.set_write_timeout(Some(timeout.max(SLICE))).map_err(failed)?;
        Ok(Self { side, socket, place, timeout, sent: Vec::new(), progress })
    }

    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        match &mut self.side {
            Side::Client(connection) => Stream::new(connection.as_mut(), &mut self.socket).read(bytes),
            Side::Server(connection) => Stream::new(connection.as_mut(), &mut self.socket).read(bytes),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let written = match &mut self.side {
                Side::Client(connection) => Stream::new(connection.as_mut(), &mut self.socket).write(rest),
                Side::Server(connection) => Stream::new(connection.as_mut(), &mut self.socket).write(rest),
            };
            match written {
                Ok(count) => rest = &rest[count..],
                // The handshake waits for the other side's answer.
                Err(cause) if is_waiting(&cause) && !self.progress.is_stopped() => {}
                Err(cause) => return Err(cause),
            }
        }
        loop {
            let flushed = match &mut self.side {
                Side::Client(connection) => Stream::new(connection.as_mut(), &mut self.socket).flush(),
                Side::Server(connection) => Stream::new(connection.as_mut(), &mut self.socket).flush(),
            };
            match flushed {
                Err(cause) if is_waiting(&cause) && !self.progress.is_stopped() => {}
                other => return other,
            }
        }
    }

    /// Fills a place, or says what went wrong.
    fn read_exact(&mut self, from: &str, bytes: &mut [u8]) -> Result<()> {
        let began = Instant::now();
        let mut filled = 0;
        while filled < bytes.len() {
            self.progress.go_on()?;
            match self.read(&mut bytes[filled..]) {
                Ok(0) => return Err(self.lost(from, None)),
                Ok(count) => filled += count,
                Err(cause) if is_waiting(&cause) => {
                    if began.elapsed() >= self.timeout {
                        return Err(Error::refused(format!(
                            "no message of {from} came in {} seconds",
                            self.timeout.as_secs()
                        ))
                        .in_file(&self.place)
                        .with_hint("`--wait SECONDS` waits longer; begin again on both sides"));
                    }
                }
                Err(cause) => return Err(self.lost(from, Some(cause))),
            }
        }
        Ok(())
    }

    fn lost(&self, from: &str, cause: Option<std::io::Error>) -> Error {
        let is_tls =
            cause.as_ref().is_some_and(|cause| cause.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()));
        let error = match is_tls {
            true => Error::refused(
                "the connection was refused: a certificate is not the pinned one, or not TLS 1.3 was spoken",
            ),
            false => Error::refused(format!("the connection ended before {from} had said everything")),
        };
        let hint = if is_tls {
            "`--peer-cert` must be the certificate that the other side gives as `--tls-cert`, on both sides"
        } else {
            "the other side was stopped or failed: nothing was written here; begin again on both sides"
        };
        let error = error.in_file(&self.place).with_hint(hint);
        match cause {
            Some(cause) => error.with_cause(cause),
            None => error,
        }
    }

    /// Says that this was all, and waits until the other side has it.
    fn close(&mut self) {
        match &mut self.side {
            Side::Client(connection) => connection.send_close_notify(),
            Side::Server(connection) => connection.send_close_notify(),
        }
        let _ = self.write(&[]);
        let _ = self.socket.shutdown(std::net::Shutdown::Write);
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(5) {
            match self.read(&mut [0; 64]) {
                Err(cause) if is_waiting(&cause) => {}
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
        }
    }
}

impl Carrier for Connection<'_> {
    fn put(&mut self, to: &str, step: u64, text: Vec<u8>) -> Result<()> {
        let length = (text.len() as u64).to_be_bytes();
        self.write(&length).and_then(|()| self.write(&text)).map_err(|cause| self.lost(to, Some(cause)))?;
        self.sent.push(json!({"to": to, "step": step}));
        Ok(())
    }

    fn get(&mut self, from: &str, _step: u64) -> Result<Option<Given>> {
        let mut length = [0; 8];
        self.read_exact(from, &mut length)?;
        let length = u64::from_be_bytes(length);
        if length > MOST_BYTES {
            return Err(Error::refused(format!("a message of {length} bytes is too long")).in_file(&self.place));
        }
        // As it comes, never as it is announced.
        let mut text = Vec::new();
        while (text.len() as u64) < length {
            let before = text.len();
            let more = (length - before as u64).min(1 << 20) as usize;
            text.resize(before + more, 0);
            self.read_exact(from, &mut text[before..])?;
        }
        Ok(Some(Given { text, place: self.place.clone() }))
    }
}

fn is_waiting(cause: &std::io::Error) -> bool {
    matches!(cause.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// An address that is written out, and allowed.
fn literal(text: &str, allow_network: bool) -> Result<SocketAddr> {
    let local = text.strip_prefix("localhost:").and_then(|port| port.parse().ok());
    let found = local.map(|port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)).or_else(|| text.parse().ok());
    let address = found.ok_or_else(|| {
        Error::parameter(
            if text.contains(':') { "connect" } else { "listen" },
            format!("is `{text}`, but must be an address and a port"),
        )
        .with_hint("for example 127.0.0.1:7000 or [::1]:7000; names are not looked up")
    })?;
    if !address.ip().is_loopback() && !allow_network {
        return Err(Error::refused(format!("{address} is not on this machine"))
            .with_hint("`--allow-network` lets this run talk to that address, and to no other"));
    }
    Ok(address)
}

fn accepted(address: SocketAddr, timeout: Duration, progress: &dyn Progress) -> Result<TcpStream> {
    let failed = |cause| Error::io(format!("listen on {address}"), cause);
    let listener = TcpListener::bind(address).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let began = Instant::now();
    loop {
        progress.go_on()?;
        match listener.accept() {
            Ok((socket, _)) => return Ok(socket),
            Err(cause) if is_waiting(&cause) && began.elapsed() < timeout => {
                std::thread::sleep(Duration::from_millis(20))
            }
            Err(cause) if is_waiting(&cause) => return Err(nobody(address, timeout)),
            Err(cause) => return Err(failed(cause)),
        }
    }
}

fn connected(address: SocketAddr, timeout: Duration, progress: &dyn Progress) -> Result<TcpStream> {
    let began = Instant::now();
    loop {
        progress.go_on()?;
        match TcpStream::connect_timeout(&address, timeout.max(SLICE)) {
            Ok(socket) => return Ok(socket),
            Err(_) if began.elapsed() < timeout => std::thread::sleep(Duration::from_millis(100)),
            Err(_) => return Err(nobody(address, timeout)),
        }
    }
}

fn nobody(address: SocketAddr, timeout: Duration) -> Error {
    Error::refused(format!("nobody was at {address} in {} seconds", timeout.as_secs()))
        .with_hint("one side listens, the other connects; `--wait SECONDS` waits longer")
}

fn missing(flag: &str) -> Error {
    Error::parameter(flag, "is missing").with_hint("TLS needs `--tls-cert`, `--tls-key` and `--peer-cert`; `throng link certificate --name N --out DIR` makes the first two")
}

fn read(path: &Path) -> Result<Vec<u8>> {
    crate::limits::read_file(path, "the certificate or key ", crate::limits::MOST_SECRET_BYTES)
}

fn no_pem(path: &Path, what: &str) -> Error {
    Error::data(format!("there is no {what} in it"))
        .in_file(path.display().to_string())
        .with_hint("it must be in PEM form")
}

fn certificates(path: Option<&Path>, flag: &str) -> Result<Vec<CertificateDer<'static>>> {
    let path = path.ok_or_else(|| missing(flag))?;
    let one = CertificateDer::from_pem_slice(&read(path)?).map_err(|_| no_pem(path, "certificate"))?;
    Ok(vec![one])
}

fn unusable(cause: rustls::Error, place: &str) -> Error {
    Error::refused("the certificate or its key cannot be used for TLS").in_file(place).with_cause(cause)
}

fn server(
    provider: Arc<CryptoProvider>,
    pinned: Arc<Pinned>,
    own: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> std::result::Result<ServerConfig, rustls::Error> {
    let builder = ServerConfig::builder_with_provider(provider).with_protocol_versions(&[&rustls::version::TLS13])?;
    let mut config = builder.with_client_cert_verifier(pinned).with_single_cert(own, key)?;
    // Nobody comes back: and what is never read would cut the end of the connection.
    config.send_tls13_tickets = 0;
    Ok(config)
}

fn client(
    provider: Arc<CryptoProvider>,
    pinned: Arc<Pinned>,
    own: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> std::result::Result<ClientConfig, rustls::Error> {
    let builder = ClientConfig::builder_with_provider(provider).with_protocol_versions(&[&rustls::version::TLS13])?;
    let builder = builder.dangerous().with_custom_certificate_verifier(pinned);
    builder.with_client_auth_cert(own, key)
}

/// Takes one certificate and no other; who shows it must also sign with its key.
#[derive(Debug)]
struct Pinned {
    peer: CertificateDer<'static>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Pinned {
    fn is_peer(&self, shown: &CertificateDer<'_>) -> std::result::Result<(), rustls::Error> {
        if *shown == self.peer {
            Ok(())
        } else {
            Err(rustls::Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure))
        }
    }

    fn signed(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }
}

fn only_13() -> rustls::Error {
    rustls::Error::General("only TLS 1.3 is spoken".to_owned())
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        self.is_peer(shown).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        Err(only_13())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.signed(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

impl ClientCertVerifier for Pinned {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        shown: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> std::result::Result<ClientCertVerified, rustls::Error> {
        self.is_peer(shown).map(|()| ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        Err(only_13())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.signed(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

/// Makes a certificate and its key, `NAME.pem` and `NAME.key` in a folder. Gives their places.
pub(super) fn certificate(name: &str, folder: &Path) -> Result<[PathBuf; 2]> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    if name.is_empty() || name.len() > 63 || !name.chars().all(is_plain) {
        return Err(Error::parameter("name", "must be letters, digits and dashes, at most 63"));
    }
    let failed = |cause: rcgen::Error| Error::internal(format!("no certificate could be made: {cause}"));
    let made = rcgen::generate_simple_self_signed([name.to_owned()]).map_err(failed)?;
    let places = ["pem", "key"].map(|ending| folder.join(format!("{name}.{ending}")));
    for place in &places {
        crate::run::refuse_existing(place)?;
    }
    let [certificate, key] = &places;
    let mut secret = zeroize::Zeroizing::new(made.signing_key.serialize_pem());
    let written = vec![
        (made_file(certificate, made.cert.pem().as_bytes(), false)?, certificate.clone()),
        (made_file(key, secret.as_bytes(), true)?, key.clone()),
    ];
    secret.clear();
    pending::publish(written)?;
    Ok(places)
}
