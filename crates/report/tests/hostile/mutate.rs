//! A run file damaged at random: most mutants keep the shape that the reader wants, so that what it
//! lets through is strange, and some lose it.

use serde_json::{Value, json};
use stats::Random;

/// Each acts somewhere: in a terminal, in Markdown, in HTML, in a tracker, in a parser.
const TEXTS: [&str; 28] = [
    "",
    " ",
    "\n",
    "\r\n# x\n",
    "\x1b[2J\x1b]0;x\x07",
    "\u{202e}x",
    "\u{200b}",
    "\u{9b}31m",
    "\0",
    "|",
    "| a |\n| - |",
    "`",
    "```\n",
    "~~~",
    "**",
    "_x_",
    "<script>alert(1)</script>",
    "</script",
    "<!--",
    "-->",
    "</details>",
    "&lt;&#64;",
    "[x](javascript:x)",
    "![x](https://a.b)",
    "@name #123 GH-1",
    "www.a.b https://a.b a@b.c",
    "漢字\u{301}\u{1f600}",
    "1e999 NaN null",
];

const NUMBERS: [f64; 12] =
    [0.0, -0.0, 1.0, -1.0, 0.5, 5e-324, -5e-324, 1e-9, 1e21, f64::MAX, f64::MIN, f64::EPSILON];

/// Where only certain words are read, and trials, whose lists are as long as each other: mostly
/// left alone, or nearly every mutant would be refused.
const PARTICULAR: [&str; 11] = [
    "/schema", "/ended", "/unit", "/better", "/outcome", "/basis", "/id", "/align", "/kind",
    "/stopped", "/trials/",
];

/// A damaged copy of `good`.
pub fn mutant(good: &Value, random: &mut Random) -> Vec<u8> {
    let mut run = good.clone();
    for _ in 0..1 + random.below(5) {
        let place = place(&run, random);
        if PARTICULAR.iter().any(|it| place.contains(it)) && random.below(8) > 0 {
            continue;
        }
        let other = run.pointer(&self::place(&run, random)).cloned().unwrap_or_default();
        if let Some(node) = run.pointer_mut(&place) {
            damage(node, other, random);
        }
    }
    let mut bytes = run.to_string().into_bytes();
    if random.below(8) == 0 {
        (0..1 + random.below(8)).for_each(|_| damage_bytes(&mut bytes, random));
    }
    bytes
}

/// A JSON pointer to a node, found by steps from the root, so that few and large parts are as often
/// met as many and small ones.
fn place(run: &Value, random: &mut Random) -> String {
    let mut pointer = String::new();
    let mut node = run;
    loop {
        let step = match node {
            Value::Array(items) if !items.is_empty() => random.below(items.len()).to_string(),
            // What is shown is mostly there.
            Value::Object(_) if pointer.is_empty() && random.below(3) > 0 => "sections".to_owned(),
            Value::Object(fields) if !fields.is_empty() => {
                let key = fields.keys().nth(random.below(fields.len()));
                key.map(|key| key.replace('~', "~0").replace('/', "~1")).unwrap_or_default()
            }
            _ => return pointer,
        };
        if !pointer.is_empty() && random.below(8) == 0 {
            return pointer;
        }
        pointer = format!("{pointer}/{step}");
        node = run.pointer(&pointer).unwrap_or(&Value::Null);
    }
}

fn damage(node: &mut Value, other: Value, random: &mut Random) {
    match random.below(60) {
        0 => *node = other,
        1 => *node = Value::Null,
        2 => *node = (0..random.below(200)).fold(node.take(), |inner, _| json!([inner])),
        _ => match node {
            Value::String(text) => damage_text(text, random),
            Value::Number(number) => *node = other_number(number.is_f64(), random),
            Value::Array(items) => damage_list(items, random),
            Value::Object(fields) => damage_fields(fields, random),
            Value::Bool(is) => *is = !*is,
            Value::Null => *node = json!(TEXTS[random.below(TEXTS.len())]),
        },
    }
}

fn damage_text(text: &mut String, random: &mut Random) {
    let piece = TEXTS[random.below(TEXTS.len())];
    match random.below(5) {
        0 => *text = piece.to_owned(),
        1 => *text = piece.repeat(1 + random.below(5000)),
        2 => text.insert_str(0, piece),
        3 => text.push_str(piece),
        _ => {
            let pieces = (0..random.below(12)).map(|_| TEXTS[random.below(TEXTS.len())]);
            *text = pieces.collect();
        }
    }
}

fn other_number(real: bool, random: &mut Random) -> Value {
    match random.below(4) {
        0 if random.below(4) == 0 => json!(random.next_u64()),
        1 => json!([0, 1, u64::from(u32::MAX), 1 << 53, u64::MAX][random.below(5)]),
        _ if real => json!(NUMBERS[random.below(NUMBERS.len())]),
        _ => json!(random.below(1000)),
    }
}

fn damage_list(items: &mut Vec<Value>, random: &mut Random) {
    if items.is_empty() {
        return;
    }
    let at = random.below(items.len());
    match random.below(6) {
        0 => drop(items.remove(at)),
        1 => items.clear(),
        2 => random.shuffle(items),
        3 => items.truncate(at),
        _ => {
            // Repeated less often the larger it is: a mutant is to stay small.
            let size = items[at].to_string().len();
            let times = random.below((200_000 / size).clamp(2, 20_000));
            let copies = vec![items[at].clone(); times];
            items.splice(at..at, copies);
        }
    }
}

fn damage_fields(fields: &mut serde_json::Map<String, Value>, random: &mut Random) {
    let interval = ["low", "value", "high"];
    if interval.iter().all(|key| fields.get(*key).is_some_and(Value::is_number)) {
        // In order, as the reader wants them.
        let mut numbers = [0; 3].map(|_| NUMBERS[random.below(NUMBERS.len())]);
        numbers.sort_by(f64::total_cmp);
        interval.iter().zip(numbers).for_each(|(key, n)| fields[*key] = json!(n));
        return;
    }
    let key = fields.keys().nth(random.below(fields.len().max(1))).cloned();
    match (random.below(4), key) {
        (0, Some(key)) => drop(fields.remove(&key)),
        (1, Some(key)) => {
            let value = fields.remove(&key).unwrap_or_default();
            fields.insert(TEXTS[random.below(TEXTS.len())].to_owned(), value);
        }
        _ => drop(fields.insert("added_later".to_owned(), json!([1, { "a": null }]))),
    }
}

fn damage_bytes(bytes: &mut Vec<u8>, random: &mut Random) {
    if bytes.is_empty() {
        return;
    }
    let at = random.below(bytes.len());
    let end = (at + random.below(300)).min(bytes.len());
    match random.below(6) {
        0 => bytes[at] = random.next_u64() as u8,
        1 => bytes[at] ^= 1 << random.below(8),
        2 => drop(bytes.drain(at..end)),
        3 => {
            let piece = bytes[at..end].to_vec();
            bytes.splice(at..at, piece);
        }
        4 => bytes.insert(at, b"{}[]\",:0-e\\\n"[random.below(12)]),
        _ if random.below(10) == 0 => bytes.truncate(at),
        _ => {}
    }
}
