//! How long the functions of a C file are, measured by its braces.
//!
//! A brace at the outermost level that follows a closing parenthesis opens a function; after a name
//! it opens a type, after `=` a table. Comments, strings and the preprocessor's lines are blanked
//! first. This is a measure and not a parser: an `#if` with one brace in each branch misleads it.

use super::functions::Function;

/// Every function with a body.
pub fn measure(text: &str) -> Vec<Function> {
    let mut counter = Counter { line: 1, ..Counter::default() };
    for letter in code_only(text).chars() {
        counter.step(letter);
    }
    counter.functions
}

#[derive(Default)]
struct Counter {
    functions: Vec<Function>,
    line: usize,
    depth: usize,
    /// What stands at the outermost level since the last declaration ended.
    head: String,
    /// The line on which `head` began.
    head_line: usize,
    /// Whether the braces that are open belong to a function.
    in_function: bool,
}

impl Counter {
    fn step(&mut self, letter: char) {
        self.line += usize::from(letter == '\n');
        match letter {
            '{' => self.open(),
            '}' => self.close(),
            ';' if self.depth == 0 => self.head.clear(),
            _ if self.depth == 0 => self.note(letter),
            _ => {}
        }
    }

    fn note(&mut self, letter: char) {
        if self.head.is_empty() {
            if letter.is_whitespace() {
                return;
            }
            self.head_line = self.line;
        }
        self.head.push(letter);
    }

    fn open(&mut self) {
        let head = self.head.trim_end();
        // The brace of `extern "C"` stays outermost, and its closing one is ignored below.
        if self.depth == 0 && head.ends_with('"') {
            self.head.clear();
            return;
        }
        if self.depth == 0 {
            self.in_function = head.ends_with(')');
        }
        self.depth += 1;
    }

    fn close(&mut self) {
        if self.depth == 1 {
            if self.in_function {
                let lines = self.line + 1 - self.head_line;
                let name = name_in(&self.head);
                self.functions.push(Function { name, line: self.head_line, lines });
            }
            self.head.clear();
        }
        self.depth = self.depth.saturating_sub(1);
    }
}

/// The name before the first parenthesis.
fn name_in(head: &str) -> String {
    let before = head.split('(').next().unwrap_or(head).trim_end();
    let start = before.rfind(|letter: char| !super::source::continues_word(letter));
    before[start.map_or(0, |at| at + 1)..].to_owned()
}

#[derive(Clone, Copy, PartialEq)]
enum Within {
    Code,
    LineComment,
    BlockComment,
    Preprocessor,
    /// A string or a character, until this quote.
    Quoted(char),
}

/// The text with everything blanked that is not code; line breaks and quotes stay.
fn code_only(text: &str) -> String {
    let mut within = Within::Code;
    let mut line_is_blank = true;
    let mut code = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied();
        let before = within;
        within = step(within, letter, next, line_is_blank);
        let kept = before == Within::Code && matches!(within, Within::Code | Within::Quoted(_));
        code.push(if kept || letter == '\n' || closes(before, letter) { letter } else { ' ' });
        line_is_blank = letter == '\n' || (line_is_blank && letter.is_whitespace());
        // The second half of an escape or of a comment's mark must not be read again.
        if takes_two(before, letter, next) {
            let second = letters.next().unwrap_or(' ');
            code.push(if second == '\n' { '\n' } else { ' ' });
        }
    }
    code
}

/// What the letter after this one is part of.
fn step(within: Within, letter: char, next: Option<char>, line_is_blank: bool) -> Within {
    match (within, letter, next) {
        (Within::Code, '/', Some('/')) => Within::LineComment,
        (Within::Code, '/', Some('*')) => Within::BlockComment,
        (Within::Code, '#', _) if line_is_blank => Within::Preprocessor,
        (Within::Code, '"' | '\'', _) => Within::Quoted(letter),
        (Within::LineComment | Within::Preprocessor, '\n', _) => Within::Code,
        (Within::BlockComment, '*', Some('/')) => Within::Code,
        (Within::Quoted(_), _, _) if closes(within, letter) => Within::Code,
        _ => within,
    }
}

fn closes(within: Within, letter: char) -> bool {
    matches!(within, Within::Quoted(quote) if quote == letter)
}

fn takes_two(within: Within, letter: char, next: Option<char>) -> bool {
    match within {
        Within::Code => letter == '/' && matches!(next, Some('/' | '*')),
        Within::BlockComment => letter == '*' && next == Some('/'),
        Within::Quoted(_) | Within::Preprocessor => letter == '\\',
        Within::LineComment => false,
    }
}

#[test]
fn functions_are_told_from_types_and_tables() {
    let row = |text: &str| -> Vec<(String, usize, usize)> {
        measure(text).into_iter().map(|found| (found.name, found.line, found.lines)).collect()
    };
    let one = |name: &str, line, lines| vec![(name.to_owned(), line, lines)];
    assert_eq!(row("int f(void)\n{\n    return 1;\n}\n"), one("f", 1, 4));
    assert_eq!(row("struct s {\n int a;\n};\nint t[] = { 1 };\n"), []);
    assert_eq!(row("/* } */\nstatic int\ng(int a) {\n if (a) { a = '}'; }\n}\n"), one("g", 2, 4));
    assert_eq!(row("#define M { \\\n {\nvoid h(void) { p(\"}\\\"{\"); } // }\n"), one("h", 3, 1));
    assert_eq!(row("extern \"C\" {\nint d(int);\nint e(int a) {\n}\n}\n"), one("e", 3, 2));
}
