//! Who gets in: whoever was shown the address that the server printed, in one browser, on this machine.
//!
//! # Idea
//! 1. Only this machine reaches the port; but every page of every site that is open in a browser of this machine can send requests to it.
//! 2. A page of another site cannot choose the `Host` that its browser sends, nor its `Origin`, nor what `Sec-Fetch-Site` says: a name of its
//!    own that leads here (DNS rebinding) is refused by its `Host`, a request in passing by its `Origin`.
//! 3. The address has a secret of 128 bits, good for once: it is exchanged for a cookie that no script can read and no other site's
//!    request carries. So nobody else on the machine gets in, and nothing of worth stays in a history or goes on in a `Referer`.
//!
//! # Cost
//! Secret and cookie are compared in the same time whatever is sent.
//!
//! Does not   keep out whoever can read this user's memory or files: they have the data anyway.

use std::sync::{Mutex, PoisonError};

use throng_core::Result;
use throng_core::rng::Rng;

use crate::http::Head;

/// Who may come in.
#[derive(Debug)]
pub(crate) struct Gate {
    port: u16,
    /// Gone once it was used.
    secret: Mutex<Option<String>>,
    cookie: String,
}

/// What becomes of a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Passage {
    /// It is answered.
    In,
    /// It brought the secret: this cookie is its own from now on.
    Welcome(String),
    /// It is refused.
    Refused,
}

impl Gate {
    /// A gate with a new secret, and that secret.
    pub(crate) fn new(port: u16) -> Result<(Self, String)> {
        let mut rng = Rng::secure()?;
        let mut drawn = || rng.key().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let (secret, cookie) = (drawn(), drawn());
        Ok((Self { port, secret: Mutex::new(Some(secret.clone())), cookie }, secret))
    }

    /// What becomes of a request.
    pub(crate) fn passage(&self, head: &Head) -> Passage {
        if !self.is_from_here(head) {
            return Passage::Refused;
        }
        if let Some(query) = &head.query {
            // Nothing else has a question mark in its address.
            let offered = query.strip_prefix("secret=").filter(|_| head.path == "/" && head.method == "GET");
            let mut secret = self.secret.lock().unwrap_or_else(PoisonError::into_inner);
            return match (offered, &*secret) {
                (Some(offered), Some(own)) if is_same(offered, own) => {
                    *secret = None;
                    Passage::Welcome(format!(
                        "{}={}; HttpOnly; SameSite=Strict; Path=/",
                        self.cookie_name(),
                        self.cookie
                    ))
                }
                _ => Passage::Refused,
            };
        }
        let name = self.cookie_name();
        let cookies = head.all("cookie").flat_map(|line| line.split(';'));
        let mut offered = cookies.filter_map(|cookie| cookie.trim().strip_prefix(&name)?.strip_prefix('='));
        if offered.any(|offered| is_same(offered, &self.cookie)) { Passage::In } else { Passage::Refused }
    }

    /// Cookies do not know ports: two servers must not take each other's.
    fn cookie_name(&self) -> String {
        format!("throng-{}", self.port)
    }

    /// Whether it was sent to this server by its own page, or by somebody who typed its address.
    fn is_from_here(&self, head: &Head) -> bool {
        let own = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        let mut hosts = head.all("host");
        let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
        if !own.iter().any(|own| own == host) {
            return false;
        }
        if head.all("sec-fetch-site").any(|site| site != "same-origin" && site != "none") {
            return false;
        }
        let mut origins = head.all("origin").peekable();
        if origins.peek().is_none() {
            return head.method == "GET";
        }
        origins.all(|origin| origin.strip_prefix("http://") == Some(host))
    }
}

/// Whether two texts are the same; how long that takes says nothing of where they differ.
fn is_same(offered: &str, own: &str) -> bool {
    if offered.len() != own.len() {
        return false;
    }
    let differences =
        offered.bytes().zip(own.bytes()).fold(0, |seen, (one, other)| std::hint::black_box(seen | (one ^ other)));
    differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORT: u16 = 4321;

    fn head(line: &str, headers: &[&str]) -> Head {
        let text = format!("{line} HTTP/1.1\r\n{}", headers.join("\r\n"));
        Head::parse(text.as_bytes()).unwrap()
    }

    /// A gate that somebody went through, and the cookie that they got.
    fn opened() -> (Gate, String) {
        let (gate, secret) = Gate::new(PORT).unwrap();
        let first = head(&format!("GET /?secret={secret}"), &["Host: 127.0.0.1:4321"]);
        let Passage::Welcome(cookie) = gate.passage(&first) else { panic!("the secret opens it") };
        assert!(cookie.ends_with("; HttpOnly; SameSite=Strict; Path=/"));
        // A second time it opens nothing, with the cookie or without.
        assert_eq!(gate.passage(&first), Passage::Refused);
        let cookie = format!("Cookie: a=b; {}", cookie.split(';').next().unwrap());
        let again = head(&format!("GET /?secret={secret}"), &["Host: 127.0.0.1:4321", &cookie]);
        assert_eq!(gate.passage(&again), Passage::Refused);
        (gate, cookie)
    }

    #[test]
    fn the_secret_is_long_and_new() {
        let (_, one) = Gate::new(PORT).unwrap();
        let (_, other) = Gate::new(PORT).unwrap();
        assert!(one.len() == 32 && one.bytes().all(|digit| digit.is_ascii_hexdigit()) && one != other);
    }

    #[test]
    fn the_cookie_opens_from_here_only() {
        let (gate, cookie) = opened();
        let passes = |line: &str, headers: &[&str]| gate.passage(&head(line, headers)) == Passage::In;
        assert!(passes("GET /", &["Host: 127.0.0.1:4321", &cookie]));
        assert!(passes("GET /", &["Host: localhost:4321", &cookie, "Sec-Fetch-Site: none"]));
        assert!(passes(
            "PUT /",
            &["Host: localhost:4321", "Origin: http://localhost:4321", &cookie, "Sec-Fetch-Site: same-origin"]
        ));
        for (line, headers) in [
            ("GET /", &["Host: 127.0.0.1:4321"][..]),
            ("GET /", &[&cookie]),
            ("GET /", &["Host: 127.0.0.1", &cookie]),
            ("GET /", &["Host: 127.0.0.1:4322", &cookie]),
            ("GET /", &["Host: evil.example:4321", &cookie]),
            ("GET /", &["Host: 127.0.0.1:4321", "Host: 127.0.0.1:4321", &cookie]),
            ("GET /", &["Host: 127.0.0.1:4321", "Sec-Fetch-Site: cross-site", &cookie]),
            ("GET /", &["Host: 127.0.0.1:4321", "Sec-Fetch-Site: same-site", &cookie]),
            ("GET /", &["Host: 127.0.0.1:4321", "Origin: https://evil.example", &cookie]),
            ("GET /", &["Host: 127.0.0.1:4321", "Origin: null", &cookie]),
            ("GET /?a=b", &["Host: 127.0.0.1:4321", &cookie]),
            ("POST /", &["Host: 127.0.0.1:4321", &cookie]),
            ("POST /", &["Host: 127.0.0.1:4321", "Origin: http://localhost:4321", &cookie]),
            ("POST /", &["Host: 127.0.0.1:4321", "Origin: http://127.0.0.1:4322", &cookie]),
            ("DELETE /", &["Host: 127.0.0.1:4321", "Origin: https://127.0.0.1:4321", &cookie]),
            ("GET /", &["Host: 127.0.0.1:4321", "Cookie: throng-4321=00000000000000000000000000000000"]),
            ("GET /", &["Host: 127.0.0.1:4321", "Cookie: throng-4321="]),
        ] {
            assert!(!passes(line, headers), "{line} {headers:?}");
        }
    }

    /// A request of another site does not use the secret up.
    #[test]
    fn the_secret_waits_for_its_own() {
        let (gate, secret) = Gate::new(PORT).unwrap();
        let line = format!("GET /?secret={secret}");
        for headers in [&["Host: evil.example:4321"][..], &["Host: 127.0.0.1:4321", "Sec-Fetch-Site: cross-site"]] {
            assert_eq!(gate.passage(&head(&line, headers)), Passage::Refused);
        }
        let post = head(&format!("POST /?secret={secret}"), &["Host: 127.0.0.1:4321", "Origin: http://127.0.0.1:4321"]);
        assert_eq!(gate.passage(&post), Passage::Refused);
        assert!(matches!(gate.passage(&head(&line, &["Host: 127.0.0.1:4321"])), Passage::Welcome(_)));
    }
}
