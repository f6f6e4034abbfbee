//! `throng taxonomy`.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use throng::io::ColumnChoice;
use throng::limits;
use throng::taxonomy::{self, Form, Grouping};
use throng_core::data::table::levels::Levels;
use throng_core::taxonomy::{ROOT, Taxonomy};
use throng_core::{Error, Result};

use throng::words::{counted, number, percent, thousands};

use super::Done;
use crate::args::{TaxonomyArgs, TaxonomyCommand, TaxonomyGenerate, TaxonomyImport, TaxonomyPath, TaxonomyShow};
use crate::printer::Printer;

/// Of many children, so many are shown to people.
const SHOWN: usize = 20;

pub(super) fn run(args: &TaxonomyArgs, printer: &Printer) -> Result<Done> {
    match &args.command {
        TaxonomyCommand::Import(args) => import(args, printer),
        TaxonomyCommand::Show(args) => show(args, printer),
        TaxonomyCommand::Path(args) => path(args, printer),
        TaxonomyCommand::Generate(args) => generate(args, printer),
    }?;
    Ok(Done::Fine)
}

fn import(args: &TaxonomyImport, printer: &Printer) -> Result<()> {
    let form = args.format.as_deref().map(Form::parse).transpose()?;
    let (tree, form) = if args.source == Path::new("wordnet") && form.is_none() && !args.source.exists() {
        (taxonomy::wordnet()?, "wordnet")
    } else {
        let (tree, form) = taxonomy::read(&args.source, form)?;
        (Arc::new(tree), form.name())
    };
    taxonomy::write(&tree, &args.out)?;
    if printer.json {
        let mut summary = summary(&tree);
        summary["file"] = json!(args.out.display().to_string());
        summary["format"] = json!(form);
        return printer.json(&summary);
    }
    if printer.wants_summary() {
        printer.text(&format!("read {form}, wrote {}\n{}", args.out.display(), overview(&tree)))?;
    }
    Ok(())
}

fn show(args: &TaxonomyShow, printer: &Printer) -> Result<()> {
    let (tree, words) = tree_and_words(&args.taxonomy, &args.words)?;
    if words.is_empty() {
        return if printer.json { printer.json(&summary(&tree)) } else { printer.text(&overview(&tree)) };
    }
    let found = words.iter().map(|word| Ok((word, find(&tree, word)?))).collect::<Result<Vec<_>>>()?;
    if printer.json {
        let items: Vec<Value> = found.iter().map(|(word, node)| item(&tree, word, *node)).collect();
        return if let [item] = items.as_slice() { printer.json(item) } else { printer.json(&items) };
    }
    let texts: Vec<String> = found.iter().map(|(word, node)| item_text(&tree, word, *node)).collect();
    printer.text(&texts.join("\n"))
}

fn path(args: &TaxonomyPath, printer: &Printer) -> Result<()> {
    let (tree, words) = tree_and_words(&args.taxonomy, &args.items)?;
    let [from, to] = words else {
        return Err(Error::parameter("items", format!("are {}, but must be two", words.len()))
            .with_hint("say `throng taxonomy path FROM TO`, or `throng taxonomy path FILE FROM TO`"));
    };
    let (from, to) = (find(&tree, from)?, find(&tree, to)?);
    let common = tree.common_ancestor(from, to);
    let up: Vec<u32> = tree.ancestors(from).take_while(|&node| node != common).collect();
    let mut down: Vec<u32> = tree.ancestors(to).take_while(|&node| node != common).collect();
    down.reverse();
    let labels = |nodes: &[u32]| nodes.iter().map(|&node| tree.label(node).to_owned()).collect::<Vec<_>>();
    let steps = up.len() + down.len();
    if printer.json {
        let whole = labels(&[&up[..], &[common], &down].concat());
        return printer.json(&json!({
            "from": tree.label(from),
            "to": tree.label(to),
            "path": whole,
            "steps": steps,
            "common_ancestor": tree.label(common),
            "level": tree.level(common),
            "leaves": tree.leaves(common),
            "loss": tree.loss(common),
        }));
    }
    let mut text = String::new();
    for label in labels(&up) {
        let _ = write!(text, "{label} < ");
    }
    text.push_str(tree.label(common));
    for label in labels(&down) {
        let _ = write!(text, " > {label}");
    }
    let _ = writeln!(text, "\nsteps       {steps}");
    let _ = writeln!(text, "common      {} (level {} of {})", tree.label(common), tree.level(common), tree.height());
    let _ = writeln!(text, "loss        {}", loss(&tree, common));
    printer.text(&text)
}

/// How the values of a column of a table are grouped, if that was asked for.
fn levels(args: &TaxonomyGenerate) -> Result<Option<Levels>> {
    let has = |part: &str| args.date.iter().any(|known| known == part);
    Ok(match (&args.steps[..], args.mask, &args.order) {
        ([_, ..], ..) => Some(Levels::Steps(args.steps.clone())),
        (_, Some(characters), _) => Some(Levels::Mask(characters)),
        (_, _, Some(file)) => {
            let bytes = limits::read_file(file, "", limits::MOST_LIST_BYTES)?;
            let text = String::from_utf8(bytes)
                .map_err(|_| Error::data("the order is not UTF-8").in_file(file.display().to_string()))?;
            let order = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
            Some(Levels::Order(order, args.fanout.unwrap_or_default()))
        }
        _ if !args.date.is_empty() => Some(Levels::Date { months: has("month"), years: has("year") }),
        _ => None,
    })
}

/// The hierarchy of a column of a table.
fn generate_levels(args: &TaxonomyGenerate, levels: &Levels, printer: &Printer) -> Result<()> {
    let [column] = args.column.as_slice() else {
        return Err(Error::parameter("column", "names several columns; a hierarchy is that of one"));
    };
    let hierarchy = taxonomy::generate_levels(&args.file, column, levels, &args.out)?;
    if printer.json {
        let (leaves, levels) = (hierarchy.leaves(), hierarchy.height());
        return printer.json(&json!({"file": args.out.display().to_string(), "leaves": leaves, "levels": levels}));
    }
    if printer.wants_summary() {
        let leaves = thousands(hierarchy.leaves().into());
        let height = hierarchy.height();
        printer.text(&format!("wrote {}: {leaves} values, {height} levels above them\n", args.out.display()))?;
    }
    Ok(())
}

fn generate(args: &TaxonomyGenerate, printer: &Printer) -> Result<()> {
    if let Some(levels) = levels(args)? {
        return generate_levels(args, &levels, printer);
    }
    let fanout = args.fanout.unwrap_or_default();
    let grouping = match args.width {
        _ if args.from_data => Grouping::CoOccurrence,
        Some(width) => Grouping::Intervals(width),
        None => Grouping::Order,
    };
    printer.progress().stage("grouping items", 0);
    let columns: Vec<ColumnChoice> = args.column.iter().map(|text| ColumnChoice::parse(text)).collect::<Result<_>>()?;
    let tree = match columns.is_empty() {
        true => taxonomy::generate(&args.file, grouping, fanout)?,
        false => taxonomy::generate_by_columns(&args.file, columns, grouping, fanout)?,
    };
    taxonomy::write(&tree, &args.out)?;
    if printer.json {
        let mut summary = summary(&tree);
        summary["file"] = json!(args.out.display().to_string());
        return printer.json(&summary);
    }
    if printer.wants_summary() {
        printer.text(&format!("wrote {}\n{}", args.out.display(), overview(&tree)))?;
    }
    Ok(())
}

/// The taxonomy of `--taxonomy`, else of a first word that is `wordnet` or a file, else WordNet; and the other words.
fn tree_and_words<'a>(specs: &[String], words: &'a [String]) -> Result<(Arc<Taxonomy>, &'a [String])> {
    match words.split_first() {
        _ if !specs.is_empty() => Ok((taxonomy::load_all(specs)?, words)),
        Some((first, rest)) if first == "wordnet" || Path::new(first).exists() => Ok((taxonomy::load(first)?, rest)),
        _ => Ok((taxonomy::wordnet()?, words)),
    }
}

fn find(tree: &Taxonomy, word: &str) -> Result<u32> {
    tree.find(word).ok_or_else(|| {
        // A name like it, or else what there is at the top.
        const WHAT: &str = "item of the taxonomy";
        let length = word.chars().count();
        let near = tree.labels().iter().filter(|label| label.chars().count().abs_diff(length) <= 2);
        let error = Error::unknown(WHAT, word, near);
        if error.hint().is_some_and(|hint| hint.starts_with("did you mean")) {
            return error;
        }
        Error::unknown(WHAT, word, tree.children(ROOT).take(SHOWN).map(|node| tree.label(node)))
    })
}

fn summary(tree: &Taxonomy) -> Value {
    json!({
        "items": tree.len(),
        "leaves": tree.leaves(ROOT),
        "levels": tree.height(),
        "root": tree.label(ROOT),
        "children": tree.children(ROOT).map(|node| tree.label(node)).collect::<Vec<_>>(),
    })
}

/// A whole taxonomy in words.
fn overview(tree: &Taxonomy) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "root        {}", tree.label(ROOT));
    let (items, leaves) = (thousands(tree.len() as u64), counted(tree.leaves(ROOT).into(), "leaf", "leaves"));
    let levels = counted(tree.height().into(), "level", "levels");
    let _ = writeln!(text, "items       {items} ({leaves}) on {levels}");
    let _ = writeln!(text, "children    {}", children(tree, ROOT));
    text
}

fn item(tree: &Taxonomy, word: &str, node: u32) -> Value {
    let ancestors: Vec<&str> = tree.ancestors(node).skip(1).map(|node| tree.label(node)).collect();
    let mut item = json!({
        "word": word,
        "item": tree.label(node),
        "other_names": tree.other_names(node),
        "level": tree.level(node),
        "ancestors": ancestors,
        "children": tree.children(node).map(|node| tree.label(node)).collect::<Vec<_>>(),
        "leaves": tree.leaves(node),
        "leaf_share": leaf_share(tree, node),
        "loss": tree.loss(node),
    });
    if let Some(senses) = senses(tree, word) {
        item["senses"] = json!(senses);
    }
    item
}

/// One item in words.
fn item_text(tree: &Taxonomy, word: &str, node: u32) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", tree.label(node));
    let names = tree.other_names(node);
    if !names.is_empty() {
        let _ = writeln!(text, "also        {}", names.join(", "));
    }
    let mut above: Vec<&str> = tree.ancestors(node).map(|node| tree.label(node)).collect();
    above.reverse();
    let _ = writeln!(text, "path        {}", above.join(" > "));
    let _ = writeln!(text, "level       {} of {}", tree.level(node), tree.height());
    let _ = writeln!(text, "loss        {}", loss(tree, node));
    let _ = writeln!(text, "children    {}", children(tree, node));
    if let Some(senses) = senses(tree, word).filter(|senses| senses.len() > 1) {
        let _ = writeln!(text, "senses      {}", senses.join(", "));
    }
    text
}

/// All senses of a word in WordNet.
fn senses<'a>(tree: &'a Taxonomy, word: &str) -> Option<Vec<&'a str>> {
    let (net, root) = tree.wordnet()?;
    let senses = net.senses_of_any_form(word);
    (!senses.is_empty()).then(|| senses.iter().map(|&synset| tree.label(root + synset)).collect())
}

fn leaf_share(tree: &Taxonomy, node: u32) -> f64 {
    f64::from(tree.leaves(node)) / f64::from(tree.leaves(ROOT))
}

fn loss(tree: &Taxonomy, node: u32) -> String {
    let (own, all) = (thousands(tree.leaves(node).into()), thousands(tree.leaves(ROOT).into()));
    format!("{} ({own} of {all} leaves, {})", number(tree.loss(node)), percent(leaf_share(tree, node)))
}

fn children(tree: &Taxonomy, node: u32) -> String {
    let count = tree.children(node).count();
    if count == 0 {
        return "none".to_owned();
    }
    let shown: Vec<&str> = tree.children(node).take(SHOWN).map(|node| tree.label(node)).collect();
    let more = if count > SHOWN { ", …" } else { "" };
    format!("{}: {}{more}", thousands(count as u64), shown.join(", "))
}
