//! What the page says, what its policy admits, and what hostile runs can't do to it.

mod hostile;

use record::{
    Basis, Better, Caveat, Conclusion, Ended, Estimate, Finding, Outcome, Recorded, Reference,
    Section, Start, Unit,
};

use super::{policy::hash, *};
use crate::samples::run;
use crate::text::tests::{heat_map, lines};

/// A page is sent around; mail takes it below this.
const PAGE_BYTES_MAX: usize = 3_000_000;

fn measured(id: &str, value: f64) -> Finding {
    let basis = Basis::Rounds { rounds: 140, starts: 5 };
    let estimate = Estimate { value, low: value * 0.98, high: value * 1.02, basis };
    let outcome = Outcome::Measured(estimate);
    let mut finding =
        Finding::new(id, Unit::Nanoseconds, Better::Lower, outcome, format!("{id} is so."));
    finding.references = vec![Reference {
        machine: "Xeon E5-2620".into(),
        year: 2013,
        value: 67.0,
        source: "Somebody (2013)".into(),
    }];
    finding
}

fn recorded() -> Recorded {
    let mut recorded = Recorded::new(5_000_000_000, vec![0, 1], 9);
    recorded.window_ns = 1_562_500;
    recorded.choices.insert("threads".into(), vec!["2".into(), "4".into()]);
    recorded.starts = (0..5)
        .map(|start| Start {
            at_ns: start * 1_000_000_000,
            wall_ns: 1_000_000_000,
            foreign_cpus: Some(0.03),
            steal_cpus: None,
        })
        .collect();
    recorded
}

/// The run that the text is tested with, and beside it what only a page has.
fn whole() -> Run {
    let mut run = run();
    run.sections.push(Section {
        name: "pipe".into(),
        question: "What does a message cost?".into(),
        workload_version: 1,
        recorded: Some(recorded()),
        conclusion: Conclusion {
            findings: vec![
                measured("pipe.cost", 9000.0),
                measured("pipe.other", 12_000.0),
                Finding {
                    unit: Unit::Share,
                    references: vec![],
                    ..measured("pipe.noise_floor", 0.0137)
                },
                Finding { references: vec![], ..measured("pipe.canary", 1.19) },
            ],
            figures: vec![lines(), heat_map()],
            caveats: vec![Caveat::new("noisy", "Others used the CPUs.")],
            ..Conclusion::default()
        },
    });
    run
}

/// The page without what is within its scripts and styles.
fn stripped(page: &str) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some(at) = ["<script", "<style"].iter().filter_map(|it| rest.find(it)).min() {
        let begin = at + rest[at..].find('>').unwrap() + 1;
        out.push_str(&rest[..begin]);
        rest = &rest[begin..];
        rest = &rest[rest.find("</s").unwrap()..];
        out.push_str("...");
        let end = rest.find('>').unwrap() + 1;
        out.push_str(&rest[..end]);
        rest = &rest[end..];
    }
    out + rest
}

/// The bodies of the elements that begin so.
fn bodies<'a>(page: &'a str, begin: &str, end: &str) -> Vec<&'a str> {
    let body = |after: &'a str| match begin.ends_with('>') {
        true => after,
        false => &after[after.find('>').unwrap() + 1..],
    };
    page.split(begin).skip(1).map(|it| body(it).split(end).next().unwrap()).collect()
}

fn policy(page: &str) -> &str {
    let after = page.split("Content-Security-Policy\" content=\"").nth(1).unwrap();
    after.split('"').next().unwrap()
}

#[test]
fn what_the_page_says() {
    let page = stripped(&html(&whole()));
    // The hashes are another test's.
    let policy = policy(&page).to_owned();
    insta::assert_snapshot!(page.replace(&policy, "..."));
}

#[test]
fn the_same_run_yields_the_same_page() {
    assert_eq!(html(&whole()), html(&whole()));
}

#[test]
fn a_page_can_be_sent_around() {
    let page = html(&whole());
    assert!(page.len() < PAGE_BYTES_MAX, "{} bytes", page.len());
}

#[test]
fn the_policy_admits_the_scripts_of_the_page_and_nothing_else() {
    let page = html(&whole());
    let policy = policy(&page).replace("&#39;", "'");
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    assert!(policy.ends_with("; base-uri 'none'; form-action 'none'"), "{policy}");
    let own = bodies(&page, "<script>", "</script>");
    let [script] = own[..] else { panic!("one script that is run at once: {}", own.len()) };
    let style = bodies(&page, "<style", "</style>");
    let [style] = style[..] else { panic!("one style: {}", style.len()) };
    for part in [script, style] {
        assert!(policy.contains(&format!("'sha256-{}'", hash(part))), "{policy}");
    }
    let charts = unpacked(bodies(&page, "data-charts=\"\"", "</script>")[0]);
    assert!(policy.contains(&format!("'sha256-{}'", hash(&charts))), "{policy}");
    assert!(charts.contains("plotly.js v") && charts.contains("MIT license"));
    assert!(!policy.contains("unsafe-inline") && !policy.contains("unsafe-eval"), "{policy}");
    assert_eq!(policy.matches("sha256-").count(), 4, "{policy}");
}

fn unpacked(base64: &str) -> String {
    use base64::{Engine, engine::general_purpose::STANDARD};
    use std::io::Read;
    let bytes = STANDARD.decode(base64).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn the_page_holds_the_run_and_hands_it_back() {
    let page = html(&whole());
    let json = unpacked(bodies(&page, "data-run=\"\"", "</script>")[0]);
    assert_eq!(record::file::from_json(json.as_bytes()).unwrap(), whole());
}

/// Whatever could make a browser ask for something: attributes that load, and rules that do.
#[test]
fn nothing_in_the_page_leads_out_of_it() {
    let page = html(&whole());
    for loads in [" src=", " srcset=", "<link", "<iframe", "<img", "<form", "@import", "url(", "//"]
    {
        let out = page.match_indices(loads).map(|(at, _)| at).find(|&at| {
            // Comments of our own script, and base64, have slashes too.
            loads != "//" || page[..at].ends_with(':')
        });
        assert_eq!(out.map(|at| page[at..].chars().take(60).collect::<String>()), None);
    }
    let links = page.split(" href=\"").skip(1).map(|it| it.split('"').next().unwrap());
    assert!(links.into_iter().all(|link| link.starts_with('#')));
    let handlers = ["onclick", "onload", "onerror", "onmouseover"];
    assert!(handlers.iter().all(|it| !stripped(&page).contains(it)));
}

/// The first number that others had measured too stood there as the answer, and said another thing.
#[test]
fn a_headline_says_what_the_answer_says() {
    let mut run = whole();
    run.sections[1].conclusion.findings[0].references.clear();
    let page = html(&run);
    let headlines = bodies(&page, "class=\"headlines\"", "</ul>")[0];
    let [pipe, syscall] = headlines.split("<li>").skip(1).collect::<Vec<_>>()[..] else {
        panic!("{headlines}")
    };
    // It has others' numbers, so it comes first, and they are told to be of something else.
    let order = [">pipe<", "9.00 µs", "pipe.cost is so.", "pipe.other is so.", "67 ns"];
    let places: Vec<_> = order.iter().map(|words| pipe.find(words)).collect();
    assert!(places.is_sorted() && places[0].is_some(), "{places:?} in {pipe}");
    assert!(syscall.contains("A call costs 193 ns."), "{syscall}");
}

/// It stood at the foot of the page alone.
#[test]
fn how_a_run_ended_is_said_first() {
    for (ended, says) in [
        (Ended::Complete, None),
        (Ended::Interrupted, Some("Interrupted: the answers rest on")),
        (Ended::Failed("the disk is full".into()), Some("Failed: the disk is full")),
    ] {
        let page = html(&Run { ended, ..whole() });
        let header = bodies(&page, "<header>", "</header>")[0];
        assert_eq!(header.contains("class=\"ended\""), says.is_some());
        assert!(says.is_none_or(|says| header.contains(says)), "{header}");
    }
}

/// The page of a comparison named neither side.
#[test]
fn a_comparison_says_of_what() {
    let run: Run = record::file::from_json(include_bytes!("../../tests/data/run.json")).unwrap();
    let mut later = run.clone();
    later.machines[0].kernel = Some("9.9.9".into());
    let compared = crate::compare(std::slice::from_ref(&run), std::slice::from_ref(&later));
    let machines = [run.machines.clone(), later.machines].concat();
    let of_both = Run { sections: vec![compared.unwrap()], machines, ..run };
    let page = html(&of_both);
    let header = bodies(&page, "<header>", "</header>")[0];
    assert_eq!(header.matches("class=\"machine\"").count(), 2, "{header}");
    for says in ["<dt>Before</dt>", "<dt>After</dt>", "Linux 9.9.9", "fathom-comparison.json"] {
        assert!(header.contains(says), "{says}: {header}");
    }
}

/// The button was not there, and nothing said why.
#[test]
fn what_is_too_long_for_a_tracker_says_so() {
    let mut run = whole();
    assert!(!html(&run).contains("Not here as Markdown"));
    run.sections[0].conclusion.tables[0].rows = vec![vec!["so ".repeat(190); 2]; 100];
    assert!(html(&run).contains("Not here as Markdown: it is too long for an issue tracker."));
}

/// Every finding has its address, once.
#[test]
fn every_finding_has_one_anchor() {
    let page = html(&whole());
    for finding in whole().sections.iter().flat_map(|section| &section.conclusion.findings) {
        let anchor = format!(" id=\"{}\"", finding.id);
        assert_eq!(page.matches(&anchor).count(), 1, "{anchor}");
    }
}

#[test]
fn a_page_without_figures_carries_no_charts() {
    let mut run = run();
    run.sections[0].conclusion.figures.clear();
    let page = html(&run);
    assert!(page.len() < 100_000 && !page.contains("data-charts=\"\""), "{} bytes", page.len());
}
