//! One made-up line of every format of access logs: how it is read, field by field, and that it is written back so that it is read the same.

use serde_json::{Value, json};

use crate::support::Sandbox;

const AGENT: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0";

/// The lines of a log, as they are read.
fn rows_read(sandbox: &Sandbox, file: &str, more: &[&str]) -> Vec<Value> {
    let args = [&["inspect", file, "--rows", "9", "--show-values", "--json"], more].concat();
    sandbox.done(&args).json()["rows_read"].as_array().unwrap().clone()
}

/// A whole row; what is not named is null.
fn row(given: &Value) -> Value {
    let mut row = json!({"address": null, "time": null, "method": null, "path": null, "query": null, "status": null, "bytes": null,
        "referrer": null, "agent": null, "host": null, "user": null});
    for (name, value) in given.as_object().unwrap() {
        assert!(row.get(name).is_some(), "{name}");
        row[name] = value.clone();
    }
    row
}

/// Reads a log as it should be, masks nothing of it, and reads the release: the same but for users, and for the host of an absolute
/// request where the format has no place for it. Times are read in whole seconds.
fn is_read_and_written(name: &str, text: &str, more: &[&str], expected: &[Value]) {
    let sandbox = Sandbox::new();
    sandbox.write(name, text);
    let mut expected: Vec<Value> = expected.iter().map(row).collect();
    for row in &mut expected {
        if let Some((whole, _)) = row["time"].as_str().and_then(|time| time.split_once('.')) {
            row["time"] = format!("{whole}Z").into();
        }
    }
    assert_eq!(rows_read(&sandbox, name, more), expected, "{text}");
    let protect =
        ["protect", name, "--out", "out", "--method", "mask", "--mask-v4", "32", "--mask-v6", "128", "--seed", "1"];
    sandbox.done(&[&protect[..], more].concat());
    let mut written: Vec<Value> = rows_read(&sandbox, "out", &[]);
    for row in &mut expected {
        row["user"] = Value::Null;
        if row["host"] == "h.example" || name == "incapsula.log" {
            row["host"] = Value::Null;
        }
    }
    let key = |row: &Value| row.to_string();
    written.sort_by_key(key);
    expected.sort_by_key(key);
    assert_eq!(written, expected, "{text}");
}

/// What the NCSA lines below have in common.
fn ncsa(more: Value) -> Value {
    let mut whole = json!({"address": "192.0.2.7", "time": "2024-03-07T11:00:01Z", "method": "GET", "path": "/a/b.html", "query": "c=d&e", "status": 200,
        "bytes": 512, "user": "ann"});
    whole.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    whole
}

fn with_agent(more: Value) -> Value {
    let mut whole = ncsa(json!({"referrer": "http://www.example.com/?q=x", "agent": AGENT}));
    whole.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    whole
}

#[test]
fn formats_of_apache_and_its_kin() {
    let common = r#"192.0.2.7 - ann [07/Mar/2024:12:00:01 +0100] "GET /a/b.html?c=d&e HTTP/1.1" 200 512"#;
    let combined = format!("{common} \"http://www.example.com/?q=x\" \"{AGENT}\"");
    let host = json!({"host": "www.example.com"});
    for (line, expected) in [
        (common.to_owned(), ncsa(json!({}))),
        (combined.clone(), with_agent(json!({}))),
        (format!("www.example.com {common}"), ncsa(host.clone())),
        (format!("www.example.com:443 {combined}"), with_agent(host.clone())),
        (format!("localhost {combined}"), with_agent(json!({"host": "localhost"}))),
        (combined.replace(" - ann ", " www.example.com ann "), with_agent(host.clone())),
        (common.replace(" - ann ", " www.example.com ann "), ncsa(host.clone())),
        (combined.replace("] \"GET", "] (0 s) \"GET"), with_agent(json!({}))),
        (format!("www.example.com {}", combined.replace("] \"GET", "] (12 s) \"GET")), with_agent(host.clone())),
        (format!("{combined} 1807"), with_agent(json!({}))),
        (format!("www.example.com {combined} 1807"), with_agent(host)),
        (format!("{combined} \"203.0.113.9\""), with_agent(json!({}))),
        // Several blanks, IPv6, an absolute request, nothing known.
        (combined.replace(" \"", "   \"").replace(" - ann", "  -   ann"), with_agent(json!({}))),
        (combined.replace("192.0.2.7", "2001:db8:1::7"), with_agent(json!({"address": "2001:db8:1::7"}))),
        (combined.replace("GET /a", "GET https://h.example:443/a"), with_agent(json!({"host": "h.example"}))),
        (
            combined.replace(" ann ", " - ").replace("512", "-").replace("http://www.example.com/?q=x", "-"),
            with_agent(json!({"user": null, "bytes": null, "referrer": null})),
        ),
        // Quotes and bytes that are no text.
        (
            combined.replace(AGENT, r#"A \"B\" C\\D caf\xc3\xa9 \xff"#).replace("b.html", "caf%C3%A9"),
            with_agent(json!({"agent": "A \"B\" C\\D café %FF", "path": "/a/caf%C3%A9"})),
        ),
        (
            combined.replace("GET /a/b.html?c=d&e HTTP/1.1", "/old"),
            with_agent(json!({"method": null, "path": "/old", "query": null})),
        ),
    ] {
        is_read_and_written("some.log", &format!("{line}\n"), &[], &[expected]);
    }
    let bytes = [combined.replace("b.html", "").as_bytes(), b"\n"].concat();
    let sandbox = Sandbox::new();
    sandbox.write("some.log", [&bytes[..51], b"\xe9\xff", &bytes[51..]].concat());
    let rows = rows_read(&sandbox, "some.log", &[]);
    assert_eq!(rows[0]["path"], "/%E9%FFa/");
}

#[test]
fn directives_of_apache_and_nginx() {
    let combined = format!(
        r#"192.0.2.7 - ann [07/Mar/2024:12:00:01 +0100] "GET /a/b.html?c=d&e HTTP/1.1" 200 512 "http://www.example.com/?q=x" "{AGENT}""#
    );
    let apache = r#"%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i""#;
    let nginx = r#"$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent""#;
    let whole = with_agent(json!({}));
    for directive in [
        apache.to_owned(),
        nginx.to_owned(),
        format!("LogFormat \"{}\" combined", apache.replace('"', "\\\"")),
        format!("log_format main '{}' '{}';", &nginx[..30], &nginx[30..]),
        "combined".to_owned(),
    ] {
        is_read_and_written(
            "some.log",
            &format!("{combined}\n"),
            &["--log-format", &directive],
            std::slice::from_ref(&whole),
        );
    }
    for (directive, line) in [
        (
            r#"%v:%p %a %u %{%d/%b/%Y:%H:%M:%S %z}t "%m %U%q %H" %s %O %D"#,
            "www.example.com:443 192.0.2.7 ann 07/Mar/2024:12:00:01 +0100 \"GET /a/b.html?c=d&e HTTP/1.1\" 200 512 1234",
        ),
        (
            r#"$host "$http_x_forwarded_for" $remote_user [$time_iso8601] $request_method "$uri$is_args$args" $status $bytes_sent $request_time"#,
            "www.example.com \"192.0.2.7, 10.0.0.1\" ann [2024-03-07T12:00:01+01:00] GET \"/a/b.html?c=d&e\" 200 512 0.004",
        ),
        (
            "%{X-Forwarded-For}i\t%u\t%{sec}t\t%m\t%U\t%q\t%>s\t%b\t%{Host}i",
            "192.0.2.7\tann\t1709809201\tGET\t/a/b.html\t?c=d&e\t200\t512\twww.example.com",
        ),
    ] {
        let host = ncsa(json!({"host": "www.example.com"}));
        is_read_and_written("some.log", &format!("{line}\n"), &["--log-format", directive], &[host]);
    }
    let sandbox = Sandbox::new();
    sandbox.write("some.log", format!("{combined}\n"));
    for (directive, problem) in [
        ("%h %r", "no time"),
        ("%t %h", "no request"),
        ("%t %r %Z", "`%Z`"),
        ("%t %r %", "ends with"),
        ("$x", "no time"),
    ] {
        let ran = sandbox.run(&["inspect", "some.log", "--log-format", directive]);
        assert!(ran.code == 2 && ran.stderr.contains(problem), "{directive} {}", ran.stderr);
    }
}

#[test]
fn w3c_in_all_its_forms() {
    // IIS.
    let text = "#Software: Microsoft Internet Information Services 10.0\n#Version: 1.0\n#Date: 2024-03-07 11:00:01\n\
        #Fields: date time s-sitename s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs-version cs(User-Agent) cs(Cookie) cs(Referer) cs-host sc-status sc-substatus sc-bytes time-taken\n\
        2024-03-07 11:00:01 W3SVC1 10.0.0.1 GET /a/b.html c=d&e 443 ann 192.0.2.7 HTTP/1.1 Mozilla/5.0+(X11;+Linux)+A%2BB \"k=v; x=y\" http://x.example/ www.example.com 200 0 512 15\n";
    let iis = ncsa(
        json!({"agent": "Mozilla/5.0 (X11; Linux) A+B", "referrer": "http://x.example/", "host": "www.example.com"}),
    );
    is_read_and_written("iis.log", text, &[], &[iis]);
    // Advanced Logging: local days and times, quotes, several blanks, an unknown client, lines of blanks.
    let text = "#Software: IIS Advanced Logging Module\n\n#Version: 1.0\n    \n#Start-Date: 2024-03-07 00:00:00.128\n\
        #Fields:   date-local time-local   s-ip   cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) cs(Host) sc-status sc-substatus TimeTakenMS\n\
        2024-03-07 11:00:01.363 10.0.0.1 GET /a - 80 - \"192.0.2.7\" \"Mozilla/5.0 (Linux; Android 13) A/1.0\" \"http://x.example/?q=1\" \"www.example.com\" 200 0 109\n\
        2024-03-07 11:00:02.660 10.0.0.1 GET /b - 80 - - \"A B/1.0\" - \"www.example.com\" 301 \" some words \" 0\n";
    let rows = [
        json!({"address": "192.0.2.7", "time": "2024-03-07T11:00:01.363Z", "method": "GET", "path": "/a", "status": 200, "host": "www.example.com",
            "referrer": "http://x.example/?q=1", "agent": "Mozilla/5.0 (Linux; Android 13) A/1.0"}),
        json!({"time": "2024-03-07T11:00:02.660Z", "method": "GET", "path": "/b", "status": 301, "host": "www.example.com", "agent": "A B/1.0"}),
    ];
    is_read_and_written("advanced.log", text, &[], &rows);
    // CloudFront: tabs, agents encoded twice, the host of the visitor and not of the distribution.
    let text = "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-host-header cs-protocol cs-protocol-version\n\
        2024-03-07\t11:00:01\tFRA2\t512\t192.0.2.7\tGET\td1.cloudfront.net\t/a/b%2520c.html\t200\thttps://x.example/?a%20b\tMozilla/5.0%2520(X11;%2520+http://x.example/)\tc=d\t-\tMiss\twww.example.com\thttps\tHTTP/2.0\n";
    let row = json!({"address": "192.0.2.7", "time": "2024-03-07T11:00:01Z", "method": "GET", "path": "/a/b%2520c.html", "query": "c=d", "status": 200, "bytes": 512,
        "referrer": "https://x.example/?a%20b", "agent": "Mozilla/5.0 (X11; +http://x.example/)", "host": "www.example.com"});
    is_read_and_written("cloudfront.log", text, &[], &[row]);
    // NetScaler.
    let text = "#Version: 1.0\n#Software: Netscaler Web Logging(NSWL)\n#Date: 2024-03-07 11:00:01\n\
        #Fields: date time c-ip cs-username sc-servicename s-ip s-port cs-method cs-uri-stem cs-uri-query sc-status cs-bytes sc-bytes time-taken cs-version cs(User-Agent) cs(Cookie) cs(Referer)\n\
        2024-03-07 11:00:01 192.0.2.7 - HTTP 10.0.0.1 8080 GET /a/b.html - 302 247 355 1 HTTP/1.1 Mozilla/4.0+(compatible;+MSIE+7.0) - -\n";
    let row = json!({"address": "192.0.2.7", "time": "2024-03-07T11:00:01Z", "method": "GET", "path": "/a/b.html", "status": 302, "bytes": 355,
        "agent": "Mozilla/4.0 (compatible; MSIE 7.0)"});
    is_read_and_written("netscaler.log", text, &[], &[row]);
    // Incapsula: everything in quotes, host and path in one.
    let text = "#Software: Incapsula LOGS API\n#Version: 1.1\n#Date: 07/Mar/2024 11:00:59\n\
        #Fields: date time cs-vid c-ip s-caip cs(User-Agent) s-computername cs-uri cs-postbody cs-version cs(Referrer) s-ip s-port cs-method cs-uri-query sc-status s-xff cs-bytes\n\
        \"2024-03-07\" \"11:00:01\" \"a1f3\" \"192.0.2.7\" \"\" \"Mozilla/5.0 (X11; Linux) 100%25\" \"www.example.com\" \"www.example.com/a/b c.php\" \"\" \"HTTP\" \"http://x.example/\" \"10.0.0.1\" \"80\" \"GET\" \"v=\"\"t\"\"\" \"200\" \"\" \"10117\"\n";
    let row = json!({"address": "192.0.2.7", "time": "2024-03-07T11:00:01Z", "method": "GET", "path": "/a/b c.php", "query": "v=\"t\"", "status": 200,
        "agent": "Mozilla/5.0 (X11; Linux) 100%", "referrer": "http://x.example/", "host": "www.example.com"});
    is_read_and_written("incapsula.log", text, &[], &[row]);
    // SHOUTcast: no method, a status of its own, the query string in the stem; day and time apart.
    let text = "#Software: SHOUTcast\n#Version: 2.4.7\n#Fields: c-ip c-dns date cs-uri-stem c-status cs(User-Agent) sc-bytes x-duration avgbandwidth time\n\
        192.0.2.7 198.51.100.8 2024-03-07 /stream?title=Made%20Up 200 NSPlayer%2F10.0%20WMFSDK%2F10.0 65580 1 524640 11:00:01\n";
    let row = json!({"address": "192.0.2.7", "time": "2024-03-07T11:00:01Z", "path": "/stream", "query": "title=Made%20Up", "status": 200, "bytes": 65580,
        "agent": "NSPlayer/10.0 WMFSDK/10.0"});
    is_read_and_written("shoutcast.log", text, &[], &[row]);
    // The columns change inside the file; a day stands in a directive alone.
    let text = "#Date: 2024-03-07 11:00:00\n#Fields: time c-ip cs-uri-stem\n11:00:01 192.0.2.7 /a\n\
        #Fields: c-ip date time sc-status cs-uri-stem cs(Referer)\n192.0.2.8 2024-03-08 11:00:02 404 /b -\n";
    let rows = [
        json!({"address": "192.0.2.7", "time": "2024-03-07T11:00:01Z", "path": "/a"}),
        json!({"address": "192.0.2.8", "time": "2024-03-08T11:00:02Z", "path": "/b", "status": 404}),
    ];
    is_read_and_written("changing.log", text, &[], &rows);
}

#[test]
fn balancers_buckets_and_proxies() {
    let target = json!({"address": "192.0.2.7", "time": "2024-03-07T11:00:01.945Z", "method": "GET", "path": "/p/i.html", "query": "x=1", "status": 200, "bytes": 57,
        "agent": "curl/7.38.0", "host": "www.example.com"});
    // A connection without a request is none of a visitor; a comment is none either.
    let elb = "2024-03-07T11:00:01.945958Z my-elb 192.0.2.7:2817 10.0.0.1:80 0.000073 0.001048 0.000057 200 200 0 57 \"GET https://www.example.com:443/p/i.html?x=1 HTTP/1.1\" \"curl/7.38.0\" DHE-RSA-AES128-SHA TLSv1.2\n\
        # a comment\n\
        2024-03-07T11:00:02.945958Z my-elb 192.0.2.8:2817 10.0.0.1:80 0.001069 0.000028 0.000041 - - 82 305 \"- - - \" \"-\" - -\n";
    is_read_and_written("elb.log", elb, &[], std::slice::from_ref(&target));
    let alb = "https 2024-03-07T11:00:01.945641Z app/my-lb/50dc 192.0.2.7:2817 10.0.0.1:80 0.086 0.048 0.037 200 200 0 57 \"GET https://www.example.com:443/p/i.html?x=1 HTTP/1.1\" \"curl/7.38.0\" ECDHE TLSv1.2 arn:aws:x \"Root=1-58\" \"www.example.com\" \"arn:y\" 1 2024-03-07T11:00:01.186641Z \"forward\" \"-\" \"-\" \"10.0.0.1:80\" \"200\"\n";
    is_read_and_written("alb.log", alb, &[], &[target]);
    let s3 = "79a5 example-bucket [07/Mar/2024:11:00:01 +0000] 192.0.2.7 arn:aws:iam::1:user/ann 3E57 REST.GET.OBJECT p.jpg \"GET /p.jpg?x HTTP/1.1\" 200 - 113 368 10 9 \"-\" \"S3Console/0.4\" - s9lz SigV2\n\
        79a5 example-bucket [07/Mar/2024:11:00:02 +0000] 192.0.2.8 - 3E58 BATCH.DELETE.OBJECT p.jpg - 204 - - 368 - - - - -\n";
    let rows = [
        json!({"address": "192.0.2.7", "time": "2024-03-07T11:00:01Z", "method": "GET", "path": "/p.jpg", "query": "x", "status": 200, "bytes": 113,
            "agent": "S3Console/0.4", "host": "example-bucket", "user": "arn:aws:iam::1:user/ann"}),
        json!({"address": "192.0.2.8", "time": "2024-03-07T11:00:02Z", "status": 204, "host": "example-bucket"}),
    ];
    is_read_and_written("s3.log", s3, &[], &rows);
    let haproxy = "Mar  7 12:14:14 localhost haproxy[14389]: 192.0.2.7:33317 [07/Mar/2024:12:00:01.655] http-in~ static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} \"GET /index.html?a=b HTTP/1.1\"\n\
        Mar  7 12:14:15 localhost haproxy[14389]: 192.0.2.8:33318 [07/Mar/2024:12:00:02.100] http-in static/<NOSRV> -1/-1/-1/-1/5 -1 0 - - CR-- 1/1/0/0/0 0/0 \"<BADREQ>\"\n";
    let of = |time: [&str; 2]| {
        [
            json!({"address": "192.0.2.7", "time": time[0], "method": "GET", "path": "/index.html", "query": "a=b", "status": 200, "bytes": 2750}),
            json!({"address": "192.0.2.8", "time": time[1], "bytes": 0}),
        ]
    };
    is_read_and_written("haproxy.log", haproxy, &[], &of(["2024-03-07T12:00:01.655Z", "2024-03-07T12:00:02.100Z"]));
    // Its times have no zone.
    let zone = ["--time-zone", "Europe/Berlin"];
    is_read_and_written("haproxy.log", haproxy, &zone, &of(["2024-03-07T11:00:01.655Z", "2024-03-07T11:00:02.100Z"]));
}

#[test]
fn lines_of_json_and_rows() {
    let nginx = r#"{"remote_addr":"192.0.2.7","remote_user":"ann","time_iso8601":"2024-03-07T12:00:01+01:00","request":"GET /a/b.html?c=d&e HTTP/1.1","status":"200","body_bytes_sent":512,"http_referer":"http://www.example.com/?q=x","http_user_agent":"AGENT","host":"www.example.com:443"}"#;
    let host = with_agent(json!({"host": "www.example.com"}));
    is_read_and_written(
        "nginx.jsonl",
        &format!("{}\n", nginx.replace("AGENT", AGENT)),
        &[],
        std::slice::from_ref(&host),
    );
    let other = r#"{"ip":"192.0.2.7","host":"www.example.com","path":"/a/b.html?c=d&e","request_method":"GET","status":"200","referrer":"http://www.example.com/?q=x","user_agent":"AGENT","length":512,"date":"2024-03-07T12:00:01+01:00"}"#;
    let anonymous = with_agent(json!({"host": "www.example.com", "user": null}));
    is_read_and_written(
        "other.jsonl",
        &format!("{}\n", other.replace("AGENT", AGENT)),
        &[],
        std::slice::from_ref(&anonymous),
    );
    let caddy = r#"{"level":"info","ts":1709809201.25,"msg":"handled request","request":{"remote_ip":"10.0.0.1","client_ip":"192.0.2.7","proto":"HTTP/2.0","method":"GET","host":"www.example.com","uri":"/a/b.html?c=d&e","headers":{"User-Agent":["AGENT"],"Referer":["http://www.example.com/?q=x"]}},"user_id":"","duration":0.1,"size":512,"status":200}"#;
    let fraction = with_agent(json!({"host": "www.example.com", "user": null, "time": "2024-03-07T11:00:01.250Z"}));
    is_read_and_written("caddy.jsonl", &format!("{}\n", caddy.replace("AGENT", AGENT)), &[], &[fraction]);
    let traefik = r#"{"ClientAddr":"192.0.2.7:52458","ClientHost":"192.0.2.7","ClientUsername":"-","request_User-Agent":"AGENT","request_Referer":"http://www.example.com/?q=x","DownstreamContentSize":512,"DownstreamStatus":200,"OriginStatus":504,"RequestHost":"www.example.com","RequestMethod":"GET","RequestPath":"/a/b.html?c=d&e","RequestProtocol":"HTTP/1.1","StartUTC":"2024-03-07T10:59:59.77Z","time":"2024-03-07T11:00:01Z"}"#;
    is_read_and_written("traefik.jsonl", &format!("{}\n", traefik.replace("AGENT", AGENT)), &[], &[anonymous]);
    let own = "{\"who\":{\"ip\":\"192.0.2.7\"},\"when\":\"2024-03-07T11:00:01Z\",\"what\":\"/a?b=c\"}\n";
    let row = json!({"address": "192.0.2.7", "time": "2024-03-07T11:00:01Z", "path": "/a", "query": "b=c"});
    let columns = ["--kind", "visits", "--column", "address=who.ip", "time=when", "path=what"];
    is_read_and_written("own.jsonl", own, &columns, std::slice::from_ref(&row));
    let csv = format!(
        "ip,time,method,path,query,status,bytes,referrer,agent,host,user\n192.0.2.7,2024-03-07T12:00:01+01:00,GET,/a/b.html,c=d&e,200,512,http://www.example.com/?q=x,\"{AGENT}\",www.example.com,ann\n"
    );
    // It has a user, a query and a time as well: whoever gives it must say what it is.
    let sandbox = Sandbox::new();
    sandbox.write("rows.csv", &csv);
    let ran = sandbox.run(&["inspect", "rows.csv"]);
    assert!(ran.code == 2 && ran.stderr.contains("queries") && ran.stderr.contains("visits"), "{ran:?}");
    is_read_and_written("rows.csv", &csv, &["--kind", "visits"], &[host]);
    let csv = "remote_addr,time_local,request,status,bytes\n192.0.2.7,07/Mar/2024:12:00:01 +0100,GET /a/b.html?c=d&e HTTP/1.1,200,512\n";
    is_read_and_written("request.csv", csv, &[], &[ncsa(json!({"user": null}))]);
}

/// Every form that a release can have is read as it was, Parquet and packed files too.
#[test]
fn forms_of_releases() {
    let line = format!(
        r#"192.0.2.7 - - [07/Mar/2024:12:00:01 +0100] "GET /a/b.html?c=d&e HTTP/1.1" 200 512 "http://www.example.com/?q=x" "{AGENT}""#
    );
    let sandbox = Sandbox::new();
    sandbox.write("some.log", format!("{line}\n"));
    let expected = row(&with_agent(json!({"user": null})));
    for format in [
        "combined",
        "ovh",
        "gandi",
        "icecast",
        "main",
        "w3c",
        "jsonl",
        "csv",
        "tsv",
        "parquet",
        "combined.gz",
        "combined.zst",
        "combined.bz2",
    ] {
        let out = format!("out-{format}");
        let mask = ["--method", "mask", "--mask-v4", "32", "--seed", "1"];
        sandbox.done(&[&["protect", "some.log", "--out", &out, "--format", format], &mask[..]].concat());
        let mut rows = rows_read(&sandbox, &out, &[]);
        assert_eq!(rows.len(), 1, "{format}");
        rows[0]["host"] = Value::Null;
        assert_eq!(rows[0], expected, "{format}");
    }
}
