//! How long a function may be, measured on the syntax tree.
//!
//! Free functions, methods, default methods of traits and functions within functions; a closure
//! belongs to the function around it. What a macro wraps (`proptest!`) is not seen: to the parser
//! it is a heap of tokens.

use proc_macro2::Span;
use syn::visit::{self, Visit};

use super::source::{Source, Violation};

/// From `fn` to the closing brace; fits a screen (notes on style, sections 4 and 9).
const FUNCTION_LINES_MAX: usize = 70;

/// One function of a file.
pub struct Function {
    pub name: String,
    /// The line of the word `fn`, counted from 1.
    pub line: usize,
    /// Both ends included; attributes and documentation are not.
    pub lines: usize,
}

/// Rule `function-length`.
pub fn check(source: &Source, functions: &[Function], found: &mut Vec<Violation>) {
    for function in functions.iter().filter(|function| function.lines > FUNCTION_LINES_MAX) {
        let text = format!(
            "`{}` has {} lines, at most {FUNCTION_LINES_MAX}: give a step of it a name",
            function.name, function.lines
        );
        found.push(source.violation(function.line, "function-length", text));
    }
}

/// Every function with a body.
pub fn measure(syntax: &syn::File) -> Vec<Function> {
    let mut finder = Finder { functions: Vec::new() };
    finder.visit_file(syntax);
    finder.functions
}

struct Finder {
    functions: Vec<Function>,
}

impl Finder {
    fn note(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let line = start_line(signature.fn_token.span);
        let last = block.brace_token.span.close().end().line;
        let name = signature.ident.to_string();
        self.functions.push(Function { name, line, lines: last + 1 - line });
    }
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.note(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, method: &'ast syn::ImplItemFn) {
        self.note(&method.sig, &method.block);
        visit::visit_impl_item_fn(self, method);
    }

    fn visit_trait_item_fn(&mut self, method: &'ast syn::TraitItemFn) {
        if let Some(block) = &method.default {
            self.note(&method.sig, block);
        }
        visit::visit_trait_item_fn(self, method);
    }
}

/// The line on which a piece of source begins, counted from 1.
pub fn start_line(span: Span) -> usize {
    span.start().line
}
