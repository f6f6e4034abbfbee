//! The formats that have a name, the more particular ones first, and finding out which a file has.

use std::sync::LazyLock;

use super::raw::{Field, Problem, Raw, is_host, settle};
use super::template::Template;

/// A format with a name.
pub(crate) struct Named {
    /// What it is called on the command line.
    pub(crate) name: &'static str,
    /// What it is, in a few words.
    pub(crate) summary: &'static str,
    /// Its form, in the notation of [`Template::own`].
    form: &'static str,
    /// Whether a line without a request is one of a connection, and no visit.
    pub(crate) has_connections: bool,
}

const fn named(name: &'static str, summary: &'static str, form: &'static str) -> Named {
    Named { name, summary, form, has_connections: false }
}

/// Every format of one line with fixed places.
pub(crate) static NAMED: &[Named] = &[
    named(
        "combined",
        "NCSA combined, the usual of Apache and nginx",
        r#"<address> <_:-> <user> [<time>] "<request>" <status> <bytes> "<referrer>" "<agent>""#,
    ),
    named("common", "NCSA common", r#"<address> <_:-> <user> [<time>] "<request>" <status> <bytes>"#),
    named(
        "vhost-combined",
        "combined, with the virtual host before it",
        r#"<host> <address> <_:-> <user> [<time>] "<request>" <status> <bytes> "<referrer>" "<agent>""#,
    ),
    named(
        "vhost-common",
        "common, with the virtual host before it",
        r#"<host> <address> <_:-> <user> [<time>] "<request>" <status> <bytes>"#,
    ),
    named(
        "ovh",
        "combined, with the virtual host behind the address, as OVH has it",
        r#"<address> <host> <user> [<time>] "<request>" <status> <bytes> "<referrer>" "<agent>""#,
    ),
    named(
        "ovh-common",
        "the same without referrer and agent",
        r#"<address> <host> <user> [<time>] "<request>" <status> <bytes>"#,
    ),
    named(
        "gandi",
        "combined, with the seconds before the request, as Gandi has it",
        r#"<address> <_:-> <user> [<time>] (<_:0 s>) "<request>" <status> <bytes> "<referrer>" "<agent>""#,
    ),
    named(
        "gandi-vhost",
        "the same with the virtual host before it",
        r#"<host> <address> <_:-> <user> [<time>] (<_:0 s>) "<request>" <status> <bytes> "<referrer>" "<agent>""#,
    ),
    named(
        "main",
        "combined, with forwarded addresses behind it, as in nginx's example",
        r#"<address> <_:-> <user> [<time>] "<request>" <status> <bytes> "<referrer>" "<agent>" "<_:->""#,
    ),
    named(
        "icecast",
        "combined, with the seconds behind it, as Icecast has it",
        r#"<address> <_:-> <user> [<time>] "<request>" <status> <bytes> "<referrer>" "<agent>" <_:0>"#,
    ),
    named(
        "vhost-icecast",
        "the same with the virtual host before it",
        r#"<host> <address> <_:-> <user> [<time>] "<request>" <status> <bytes> "<referrer>" "<agent>" <_:0>"#,
    ),
    Named {
        has_connections: true,
        ..named(
            "alb",
            "Amazon's application load balancer",
            r#"<_:https> <time> <_:app> <address>:<_:0> <_:-> <_:0> <_:0> <_:0> <status> <_:-> <_:0> <bytes> "<request>" "<agent>" <_:-> <_:-><rest: - "-" "-" "-" 0 - "-" "-" "-" "-" "-" "-" "-">"#,
        )
    },
    Named {
        has_connections: true,
        ..named(
            "elb",
            "Amazon's classic load balancer",
            r#"<time> <_:elb> <address>:<_:0> <_:-> <_:0> <_:0> <_:0> <status> <_:-> <_:0> <bytes> "<request>" "<agent>" <_:-> <_:->"#,
        )
    },
    named(
        "s3",
        "Amazon S3's server access log",
        r#"<_:-> <host> [<time>] <address> <user> <_:-> <_:-> <_:-> "<request>" <status> <_:-> <bytes> <_:-> <_:-> <_:-> "<referrer>" "<agent>"<rest: ->"#,
    ),
    named(
        "haproxy",
        "HAProxy's HTTP log, with its syslog head",
        r#"<_:Jan  1 00:00:00 localhost haproxy[1>]: <address>:<_:0> [<time>] <_:http> <_:-> <_:0/0/0/0/0> <status> <bytes> <_:-> <_:-> <_:----> <_:0/0/0/0/0> <_:0/0> <_:>"<request>""#,
    ),
];

static TEMPLATES: LazyLock<Vec<Template>> =
    LazyLock::new(|| NAMED.iter().map(|named| Template::own(named.form)).collect());

/// The form of a format, by its place in the list.
pub(crate) fn template(at: usize) -> &'static Template {
    &TEMPLATES[at]
}

/// The place of a format in the list.
pub(crate) fn place(name: &str) -> Option<usize> {
    NAMED.iter().position(|named| named.name == name)
}

/// Reads a line in a format, and looks whether its values are what they should be.
pub(crate) fn try_line(template: &Template, line: &str) -> Result<(), Problem> {
    let mut raw = Raw::default();
    template.read(line, &mut raw)?;
    let is_wrong = |field: Field, is_right: fn(&str) -> bool| raw.get(field).is_some_and(|value| !is_right(value));
    let find = |field: Field| raw.get(field).and_then(|value| line.find(value)).unwrap_or(0);
    // Where a host stands in the place of what is usually `-`, there must be one; before an address that is one, anything is a host. What
    // a bucket is called says nothing.
    let fields = template.fields();
    let needs_host = fields.get(1) == Some(&Field::Host) && raw.get(Field::Host).is_none();
    let is_before_address = fields.starts_with(&[Field::Host, Field::Address])
        && raw.get(Field::Address).is_some_and(|address| address.parse::<std::net::IpAddr>().is_ok());
    let is_bucket = fields.starts_with(&[Field::Host, Field::Time]);
    if needs_host || (!is_before_address && !is_bucket && is_wrong(Field::Host, is_host)) {
        return Err(Problem::at(line, find(Field::Host), "the name of a host"));
    }
    // A host before the address moves everything by one, and names of users may have blanks.
    if raw.get(Field::User).is_some_and(|user| user.starts_with("- ")) {
        return Err(Problem::at(line, find(Field::User), "the user"));
    }
    if template.has(Field::Address) && raw.get(Field::Address).is_some_and(|address| address.contains(['/', '[', '"']))
    {
        return Err(Problem::at(line, find(Field::Address), "an address"));
    }
    settle(&raw, None).map(drop).map_err(|problem| {
        let field = if problem.expected.contains("status") {
            Field::Status
        } else if problem.expected.contains("bytes") {
            Field::Bytes
        } else {
            Field::Time
        };
        Problem::at(line, find(field), problem.expected)
    })
}

/// The format of most of some lines, by its place: the one that reads most of them, at least nine of ten.
pub(crate) fn recognise<'l>(lines: impl Iterator<Item = &'l str> + Clone) -> Option<usize> {
    let all = lines.clone().count();
    let count = |at: usize| lines.clone().filter(|line| try_line(template(at), line).is_ok()).count();
    let (most, at) = (0..NAMED.len()).map(|at| (count(at), std::cmp::Reverse(at))).max()?;
    // What says more is meant, where two fit: a host behind the address rather than nothing.
    let particular = [place("ovh"), place("ovh-common")].into_iter().flatten().find(|&at| count(at) == most);
    (most > 0 && most * 10 >= all * 9).then_some(particular.unwrap_or(at.0))
}

/// The three formats that read most of a line, and where each failed.
pub(crate) fn nearest(line: &str) -> Vec<(&'static Named, Problem)> {
    let failed = |(at, named): (usize, &'static Named)| Some((named, try_line(template(at), line).err()?));
    let mut failed: Vec<(&'static Named, Problem)> = NAMED.iter().enumerate().filter_map(failed).collect();
    failed.sort_by_key(|(_, problem)| std::cmp::Reverse(problem.column));
    failed.truncate(3);
    failed
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &[(&str, &str)] = &[
        ("common", r#"192.0.2.7 - - [07/Mar/2024:12:00:01 +0100] "GET /a.html HTTP/1.1" 200 512"#),
        (
            "combined",
            r#"192.0.2.7 - ann [07/Mar/2024:12:00:01 +0100] "GET /a.html HTTP/1.1" 200 - "-" "Mozilla/5.0 (X11)""#,
        ),
        (
            "vhost-combined",
            r#"www.example.com:443 192.0.2.7 - - [07/Mar/2024:12:00:01 +0100] "GET / HTTP/2.0" 200 1 "-" "A""#,
        ),
        ("vhost-common", r#"www.example.com 192.0.2.7 - - [07/Mar/2024:12:00:01 +0100] "GET / HTTP/2.0" 200 1"#),
        ("ovh", r#"192.0.2.7 www.example.com - [07/Mar/2024:12:00:01 +0100] "GET / HTTP/2.0" 200 1 "-" "A""#),
        ("gandi", r#"192.0.2.7 - - [07/Mar/2024:12:00:01 +0100] (0 s) "GET / HTTP/2.0" 200 1 "-" "A""#),
        ("icecast", r#"192.0.2.7 - - [07/Mar/2024:12:00:01 +0100] "GET /live HTTP/1.0" 200 19 "-" "A" 12"#),
        ("main", r#"192.0.2.7 - - [07/Mar/2024:12:00:01 +0100] "GET / HTTP/1.0" 200 19 "-" "A" "203.0.113.9""#),
        (
            "elb",
            r#"2024-03-07T11:00:01.945958Z my-elb 192.0.2.7:2817 10.0.0.1:80 0.000073 0.001048 0.000057 200 200 0 29 "GET https://www.example.com:443/p?x=1 HTTP/1.1" "curl/7.38.0" DHE-RSA-AES128-SHA TLSv1.2"#,
        ),
        (
            "alb",
            r#"https 2024-03-07T11:00:01.186641Z app/my-lb/50dc6c495c0c9188 192.0.2.7:2817 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 "GET https://www.example.com:443/ HTTP/1.1" "curl/7.46.0" ECDHE TLSv1.2 arn:aws:x "Root=1-58337281" "www.example.com" "arn:y" 1 2024-03-07T11:00:01.186641Z "forward" "-" "-" "10.0.0.1:80" "200" "-" "-""#,
        ),
        (
            "s3",
            r#"79a5 example-bucket [07/Mar/2024:11:00:01 +0000] 192.0.2.7 79a5 3E57427F3EXAMPLE REST.GET.OBJECT photo.jpg "GET /example-bucket/photo.jpg?x HTTP/1.1" 200 - 113 - 7 - "-" "S3Console/0.4" - s9lz SigV2"#,
        ),
        (
            "haproxy",
            r#"Mar  7 12:14:14 localhost haproxy[14389]: 192.0.2.7:33317 [07/Mar/2024:12:00:01.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} "GET /index.html HTTP/1.1""#,
        ),
    ];

    #[test]
    fn each_line_is_recognised() {
        for (name, line) in LINES {
            let found = recognise([*line].into_iter()).map(|at| NAMED[at].name);
            assert_eq!(found, Some(*name), "{line}");
        }
    }

    #[test]
    fn what_is_none_of_them_is_told() {
        for line in ["", "hello world", "a,b,c", "1\t2\t3", "{\"a\": 1}"] {
            assert_eq!(recognise([line].into_iter()), None, "{line}");
        }
        let failed = nearest(r#"192.0.2.7 - - [07/Mar/2024:12:00:01 +0100] "GET / HTTP/1.1" 200 x"#);
        assert_eq!((failed.len(), failed[0].0.name), (3, "combined"));
    }
}
