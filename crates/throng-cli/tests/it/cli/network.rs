//! The network: a default build has none, and says so; one with the feature `network` talks TLS to the address that it is given.

use std::path::Path;

/// Every Rust file below a folder, with its text.
fn sources(folder: &Path, into: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            into.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
        }
    }
}

/// One file alone names sockets or TLS, and it is compiled with the feature only; what it needs is optional.
#[test]
fn only_one_file_opens_sockets() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for name in ["throng-core", "throng", "throng-cli"] {
        sources(&crates.join(name).join("src"), &mut files);
    }
    assert!(files.len() > 300);
    let words = [
        "TcpStream",
        "TcpListener",
        "UdpSocket",
        "ToSocketAddrs",
        "UnixStream",
        "rustls::",
        "rcgen::",
        "os::unix::net",
    ];
    let named: Vec<&str> = files
        .iter()
        .filter(|(_, text)| words.iter().any(|word| text.contains(word)))
        .map(|(path, _)| path.as_str())
        .collect();
    assert_eq!(named.len(), 1, "{named:?}");
    assert!(named[0].ends_with("party/tls.rs"), "{named:?}");
    let read = |path: &str| std::fs::read_to_string(crates.join(path)).unwrap();
    assert!(read("throng/src/party/mod.rs").contains("#[cfg(feature = \"network\")]\nmod tls;"));
    for (manifest, of) in [
        ("throng/Cargo.toml", "network = [\"dep:rcgen\", \"dep:rustls\"]"),
        ("throng-cli/Cargo.toml", "network = [\"throng/network\"]"),
    ] {
        let text = read(manifest);
        assert!(text.contains(of) && !text.contains("default = ["), "{manifest}");
    }
    for name in ["rcgen", "rustls"] {
        assert!(read("throng/Cargo.toml").contains(&format!("{name} = {{ workspace = true, optional = true }}")));
    }
    // No other crate that could talk is asked for.
    let workspace = read("../Cargo.toml");
    for name in ["hyper", "reqwest", "tokio", "ureq", "axum", "socket2", "mio", "quinn"] {
        assert!(!workspace.lines().any(|line| line.starts_with(&format!("{name} "))), "{name}");
    }
}

#[cfg(not(feature = "network"))]
mod without {
    use crate::support::Sandbox;

    #[test]
    fn a_default_build_says_that_it_has_no_network_code() {
        let sandbox = Sandbox::new();
        sandbox.write("a.csv", "id,name\n1,SECRETanna\n");
        let party = [
            "link",
            "party",
            "--protocol",
            "psi",
            "--role",
            "alice",
            "a.csv",
            "--on",
            "name",
            "--connect",
            "127.0.0.1:7000",
        ];
        sandbox.snapshot("party-no-network", &party);
        sandbox.snapshot("party-no-certificate", &["link", "certificate", "--name", "alice", "--out", "."]);
    }

    /// The program imports nothing that could open a socket, if its linker drops what is never called (ld and lld do, mold does not).
    #[cfg(all(target_os = "linux", not(target_feature = "crt-static")))]
    #[test]
    fn the_program_imports_no_socket() {
        let program = std::fs::read(env!("CARGO_BIN_EXE_throng")).unwrap();
        let has = |name: &str| {
            let name = format!("\0{name}\0");
            program.windows(name.len()).any(|part| part == name.as_bytes())
        };
        // That names are found at all: it opens files.
        assert!(has("open64") || has("openat64") || has("open"));
        for name in ["getaddrinfo", "listen", "accept4", "sendto", "recvfrom"] {
            assert!(!has(name), "{name}");
        }
    }
}

#[cfg(feature = "network")]
mod with {
    use std::process::Child;

    use crate::support::{Ran, Sandbox};

    fn with_certificates() -> Sandbox {
        let sandbox = Sandbox::new();
        sandbox.write("a.csv", "id,name\na1,SECRETanna\na2,SECRETbob\n");
        sandbox.write("b.csv", "id,name\nb1,secretbob\nb2,SECRETzoe\n");
        for name in ["alice", "bob", "eve"] {
            sandbox.done(&["link", "certificate", "--name", name, "--out", "."]);
        }
        sandbox
    }

    /// A port that was free a moment ago.
    fn address() -> String {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().to_string()
    }

    fn start(sandbox: &Sandbox, role: &str, way: &str, address: &str, [own, peer]: [&str; 2], more: &[&str]) -> Child {
        let (file, out) = (if role == "alice" { "a.csv" } else { "b.csv" }, format!("{role}.out"));
        let (certificate, key, peer) = (format!("{own}.pem"), format!("{own}.key"), format!("{peer}.pem"));
        let mut args = vec![
            "link",
            "party",
            "--protocol",
            "psi",
            "--role",
            role,
            file,
            "--on",
            "name",
            "--wait",
            "20",
            "--share-result",
        ];
        args.extend([way, address, "--tls-cert", &certificate, "--tls-key", &key, "--peer-cert", &peer, "--out", &out]);
        args.extend(more);
        sandbox.command(&args).spawn().unwrap()
    }

    fn both(alice: Child, bob: Child) -> [Ran; 2] {
        [alice, bob].map(|child| Ran::from(child.wait_with_output().unwrap()))
    }

    #[test]
    fn two_parties_over_tls() {
        for (alice, bob) in [("--listen", "--connect"), ("--connect", "--listen")] {
            let (sandbox, address) = (with_certificates(), address());
            let ran = both(
                start(&sandbox, "alice", alice, &address, ["alice", "bob"], &[]),
                start(&sandbox, "bob", bob, &address, ["bob", "alice"], &[]),
            );
            assert!(ran.iter().all(|ran| ran.code == 0), "{ran:?}");
            assert_eq!(sandbox.read("alice.out"), "id\na2\n");
            assert_eq!(sandbox.read("bob.out"), "id\nb1\n");
        }
    }

    /// Who shows another certificate than the pinned one is not talked to, on either side; nothing is written.
    #[test]
    fn a_certificate_that_is_not_pinned() {
        for pairs in [[["eve", "bob"], ["bob", "alice"]], [["alice", "bob"], ["eve", "alice"]]] {
            let (sandbox, address) = (with_certificates(), address());
            let ran = both(
                start(&sandbox, "alice", "--listen", &address, pairs[0], &[]),
                start(&sandbox, "bob", "--connect", &address, pairs[1], &[]),
            );
            assert!(ran.iter().all(|ran| ran.code == 2), "{ran:?}");
            assert!(ran.iter().any(|ran| ran.stderr.contains("not the pinned one")), "{ran:?}");
            assert!(!sandbox.listing().iter().any(|name| name.ends_with(".out")));
        }
    }

    #[test]
    fn a_peer_that_is_killed() {
        let (sandbox, address) = (with_certificates(), address());
        let alice = start(&sandbox, "alice", "--listen", &address, ["alice", "bob"], &[]);
        // Somebody who comes and says nothing more.
        let stream = loop {
            if let Ok(stream) = std::net::TcpStream::connect(&address) {
                break stream;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        };
        drop(stream);
        let ran = Ran::from(alice.wait_with_output().unwrap());
        assert!(ran.code == 2 && ran.stderr.contains("begin again"), "{ran:?}");
        assert!(!sandbox.listing().contains(&"alice.out".to_owned()));
    }

    #[test]
    fn other_machines_need_a_word() {
        let sandbox = with_certificates();
        let ran = Ran::from(
            start(&sandbox, "alice", "--connect", "192.0.2.1:7000", ["alice", "bob"], &[]).wait_with_output().unwrap(),
        );
        assert!(ran.code == 2 && ran.stderr.contains("--allow-network"), "{ran:?}");
        let ran = Ran::from(
            start(&sandbox, "alice", "--connect", "example.org:7000", ["alice", "bob"], &[])
                .wait_with_output()
                .unwrap(),
        );
        assert!(ran.code == 2 && ran.stderr.contains("names are not looked up"), "{ran:?}");
    }
}
