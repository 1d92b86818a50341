//! `unsafe` has one place, and gives its reason there.
//!
//! The place is a module named `sys`: a file `sys.rs`, or a file in a folder `sys`. The reason is a
//! comment that begins with the word SAFETY, on the line itself or directly above it (above the
//! `let` where the block is a part of one); attributes may stand between. An `unsafe fn` or trait
//! says what it asks of its caller in a section of its documentation.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

use super::functions::start_line;
use super::source::{Source, Violation};

const REASON: &str = "// SAFETY:";
const CONTRACT: &str = "# Safety";

/// No attribute of ours is longer.
const ATTRIBUTE_LINES_MAX: usize = 8;

/// Rules `unsafe-place`, `unsafe-reason` and `unsafe-contract`.
pub fn check(source: &Source, syntax: &syn::File, found: &mut Vec<Violation>) {
    let lines = source.lines();
    let in_sys = is_sys(&source.path);
    let statement_line = None;
    let mut finder = Finder { source, lines, in_sys, statement_line, in_trait_impl: false, found };
    finder.visit_file(syntax);
}

fn is_sys(path: &str) -> bool {
    path.split('/').any(|part| part == "sys" || part == "sys.rs")
}

struct Finder<'a> {
    source: &'a Source,
    lines: Vec<&'a str>,
    in_sys: bool,
    /// The first line of the `let`, `const` or `static` whose value is being visited.
    statement_line: Option<usize>,
    /// There the contract is the trait's.
    in_trait_impl: bool,
    found: &'a mut Vec<Violation>,
}

impl Finder<'_> {
    fn complain(&mut self, line: usize, rule: &'static str, text: String) {
        self.found.push(self.source.violation(line, rule, text));
    }

    fn place(&mut self, line: usize, what: &str) {
        if !self.in_sys {
            self.complain(line, "unsafe-place", format!("{what} outside `sys`, move it to one"));
        }
    }

    /// For what is unsafe to write: somebody promises something here.
    fn promise(&mut self, line: usize, what: &str) {
        self.place(line, what);
        let statement = self.statement_line.unwrap_or(line);
        let reason = self.lines[line - 1].contains(REASON)
            || [line, statement].into_iter().any(|at| self.comment_above(at, REASON));
        if !reason {
            let text = format!("{what} without a reason, put `{REASON} ...` directly above it");
            self.complain(line, "unsafe-reason", text);
        }
    }

    /// For what is unsafe to use: somebody asks for a promise here.
    fn contract(&mut self, line: usize, what: &str) {
        self.place(line, what);
        if !self.in_trait_impl && !self.comment_above(line, CONTRACT) {
            let text = format!("{what} without a contract, document `{CONTRACT}`");
            self.complain(line, "unsafe-contract", text);
        }
    }

    fn function(&mut self, signature: &syn::Signature) {
        if let syn::Safety::Unsafe(token) = &signature.safety {
            self.contract(start_line(token.span), "`unsafe fn`");
        }
    }

    /// Whether the comments directly above a line, attributes skipped, hold `needle`.
    fn comment_above(&self, line: usize, needle: &str) -> bool {
        let mut end = line - 1;
        while end > 0 {
            let text = self.lines[end - 1].trim_start();
            if text.starts_with("//") {
                if text.contains(needle) {
                    return true;
                }
                end -= 1;
            } else if let Some(start) = self.attribute_start(end - 1) {
                end = start;
            } else {
                return false;
            }
        }
        false
    }

    /// The index of the line on which the attribute begins that ends on line `last`.
    fn attribute_start(&self, last: usize) -> Option<usize> {
        if !self.lines[last].trim_end().ends_with(']') {
            return None;
        }
        let first = (last + 1).saturating_sub(ATTRIBUTE_LINES_MAX);
        (first..=last).rev().find(|&index| self.lines[index].trim_start().starts_with("#["))
    }

    /// Visits with another statement in force, and restores the one before.
    fn within(&mut self, statement_line: Option<usize>, visit: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.statement_line, statement_line);
        visit(self);
        self.statement_line = before;
    }

    /// A macro's argument is tokens to the parser: what follows the word tells what it is.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(word) if word == "unsafe" => {
                    let line = start_line(word.span());
                    match tokens.peek() {
                        Some(TokenTree::Ident(next)) if next == "fn" => {
                            self.contract(line, "`unsafe fn` in a macro");
                        }
                        _ => self.promise(line, "`unsafe` in a macro"),
                    }
                }
                _ => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_expr_unsafe(&mut self, block: &'ast syn::ExprUnsafe) {
        self.promise(start_line(block.unsafe_token.span), "`unsafe` block");
        visit::visit_expr_unsafe(self, block);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if let Some(token) = &item.unsafety {
            self.promise(start_line(token.span), "`unsafe impl`");
        }
        let before = std::mem::replace(&mut self.in_trait_impl, item.trait_.is_some());
        visit::visit_item_impl(self, item);
        self.in_trait_impl = before;
    }

    fn visit_item_foreign_mod(&mut self, item: &'ast syn::ItemForeignMod) {
        // Without the word it is an error in this edition, and still the same promise.
        let token = item.unsafety.as_ref().map_or(item.abi.extern_token.span, |token| token.span);
        self.promise(start_line(token), "extern block");
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        if let Some(token) = &item.unsafety {
            self.contract(start_line(token.span), "`unsafe trait`");
        }
        visit::visit_item_trait(self, item);
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.function(&function.sig);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, method: &'ast syn::ImplItemFn) {
        self.function(&method.sig);
        visit::visit_impl_item_fn(self, method);
    }

    fn visit_trait_item_fn(&mut self, method: &'ast syn::TraitItemFn) {
        self.function(&method.sig);
        visit::visit_trait_item_fn(self, method);
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if attribute.path().is_ident("unsafe") {
            self.promise(start_line(attribute.pound_token.span), "unsafe attribute");
        }
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.tokens(call.tokens.clone());
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let line = start_line(local.let_token.span);
        self.within(Some(line), |finder| visit::visit_local(finder, local));
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        let line = start_line(item.const_token.span);
        self.within(Some(line), |finder| visit::visit_item_const(finder, item));
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        let line = start_line(item.static_token.span);
        self.within(Some(line), |finder| visit::visit_item_static(finder, item));
    }

    /// What stands in a block of its own is no longer directly below the comment.
    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.within(None, |finder| visit::visit_block(finder, block));
    }
}
