//! Prints what the parser `syn` finds in a code base, as JSON.
//!
//! Usage: facts ROOT < PATHS, with one path relative to ROOT on each line. Needs Debian's rust-src. A call is matched by
//! name, in the arguments of macros by tokens. What a method of a library could be has the target `unknown`: names without
//! an underscore, those of the standard library, and those that a method of the same name passes on.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use std::collections::{HashMap, HashSet};
use std::io::BufRead;
use syn::visit::{self, Visit};

#[derive(Default)]
struct Facts {
    definitions: Vec<String>,
    calls: Vec<String>,
    env: Vec<String>,
    extensions: Vec<String>,
    functions: HashSet<String>,
    methods: HashSet<String>,
    constants: HashMap<String, String>,
    library: HashSet<String>,
}

struct Reader<'a> {
    path: &'a str,
    container: Option<String>,
    inside: Option<String>,
    is_second: bool,
    facts: &'a mut Facts,
}

fn line(span: Span) -> usize {
    span.start().line
}

fn last(path: &syn::Path) -> Option<&syn::Ident> {
    path.segments.last().map(|one| &one.ident)
}

fn type_name(of: &syn::Type) -> Option<String> {
    match of {
        syn::Type::Path(one) => last(&one.path).map(|name| name.to_string()),
        syn::Type::Reference(one) => type_name(&one.elem),
        _ => None,
    }
}

impl<'a> Reader<'a> {
    fn define(&mut self, name: &syn::Ident, kind: &str, more: String) {
        if self.is_second {
            return;
        }
        self.facts.definitions.push(format!(
            "{{\"name\":{:?},\"kind\":\"{}\",\"path\":{:?},\"line\":{}{}}}",
            name.to_string(), kind, self.path, line(name.span()), more
        ));
    }

    fn function(&mut self, signature: &syn::Signature, is_method: bool) {
        let names: Vec<String> = signature.inputs.iter().filter_map(|one| match one {
            syn::FnArg::Typed(typed) => match &*typed.pat {
                syn::Pat::Ident(pat) => Some(format!("{:?}", pat.ident.to_string())),
                _ => None,
            },
            syn::FnArg::Receiver(_) => None,
        }).collect();
        let container = match &self.container {
            Some(name) if is_method => format!(",\"container\":{:?}", name),
            _ => String::new(),
        };
        let more = format!("{},\"params\":[{}]", container, names.join(","));
        let kind = if is_method { "method" } else { "function" };
        self.define(&signature.ident, kind, more);
        let all = if is_method { &mut self.facts.methods } else { &mut self.facts.functions };
        all.insert(signature.ident.to_string());
    }

    /// `qualifier` is what stands before the last `::`.
    fn call(&mut self, name: &syn::Ident, is_method: bool, qualifier: Option<String>) {
        let text = name.to_string();
        let (functions, methods) = (&self.facts.functions, &self.facts.methods);
        if !self.is_second || !(functions.contains(&text) || methods.contains(&text)) {
            return;
        }
        let is_doubtful = self.facts.library.contains(&text) || self.inside.as_ref() == Some(&text);
        let target = if is_method {
            if methods.contains(&text) && text.contains('_') && !is_doubtful { "here" } else { "unknown" }
        } else if qualifier.is_none() {
            if functions.contains(&text) { "here" } else { "unknown" }
        } else if text.contains('_') || functions.contains(&text) && !methods.contains(&text) {
            "here"
        } else {
            "unknown"
        };
        self.facts.calls.push(format!(
            "{{\"name\":{:?},\"path\":{:?},\"line\":{},\"target\":\"{}\"}}",
            text, self.path, line(name.span()), target
        ));
    }

    fn env_read(&mut self, argument: Option<&syn::Expr>, at: Span) {
        let name = match argument {
            Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. })) => Some(text.value()),
            Some(syn::Expr::Path(one)) => {
                last(&one.path).and_then(|name| self.facts.constants.get(&name.to_string()).cloned())
            }
            _ => None,
        };
        self.env(name.as_deref().unwrap_or(""), at, name.is_none());
    }

    fn env(&mut self, name: &str, at: Span, is_weak: bool) {
        if self.is_second {
            self.facts.env.push(format!(
                "{{\"name\":{:?},\"path\":{:?},\"line\":{}{}}}",
                name, self.path, line(at), if is_weak { ",\"isWeak\":true" } else { "" }
            ));
        }
    }

    /// Calls among the tokens of a macro's arguments: a name before parentheses.
    fn tokens(&mut self, stream: TokenStream) {
        let all: Vec<TokenTree> = stream.into_iter().collect();
        for (index, token) in all.iter().enumerate() {
            if let TokenTree::Group(group) = token {
                self.tokens(group.stream());
                let before = |back: usize| index.checked_sub(back).and_then(|at| all.get(at));
                if group.delimiter() != Delimiter::Parenthesis {
                    continue;
                }
                if let Some(TokenTree::Ident(name)) = before(1) {
                    let punct = |back| matches!(before(back), Some(TokenTree::Punct(one)) if one.as_char() == ':');
                    let is_dot = matches!(before(2), Some(TokenTree::Punct(one)) if one.as_char() == '.');
                    let is_fn = matches!(before(2), Some(TokenTree::Ident(one)) if one == "fn");
                    if !is_fn {
                        let qualifier = if punct(2) { Some(String::new()) } else { None };
                        self.call(name, is_dot, qualifier);
                    }
                }
            }
        }
    }
}

impl<'a> Visit<'a> for Reader<'a> {
    fn visit_item_fn(&mut self, node: &'a syn::ItemFn) {
        self.function(&node.sig, false);
        visit::visit_item_fn(self, node);
    }

    fn visit_item_struct(&mut self, node: &'a syn::ItemStruct) {
        self.define(&node.ident, "class", String::new());
        visit::visit_item_struct(self, node);
    }

    fn visit_item_enum(&mut self, node: &'a syn::ItemEnum) {
        self.define(&node.ident, "enum", String::new());
        for one in &node.variants {
            self.define(&one.ident, "constant", ",\"isWeak\":true".into());
        }
        visit::visit_item_enum(self, node);
    }

    fn visit_item_type(&mut self, node: &'a syn::ItemType) {
        self.define(&node.ident, "type", String::new());
        visit::visit_item_type(self, node);
    }

    fn visit_item_trait(&mut self, node: &'a syn::ItemTrait) {
        self.define(&node.ident, "interface", String::new());
        let outer = self.container.replace(node.ident.to_string());
        visit::visit_item_trait(self, node);
        self.container = outer;
    }

    fn visit_item_const(&mut self, node: &'a syn::ItemConst) {
        self.define(&node.ident, "constant", String::new());
        if let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &*node.expr {
            self.facts.constants.insert(node.ident.to_string(), text.value());
        }
        visit::visit_item_const(self, node);
    }

    fn visit_item_static(&mut self, node: &'a syn::ItemStatic) {
        self.define(&node.ident, "constant", String::new());
        visit::visit_item_static(self, node);
    }

    fn visit_item_macro(&mut self, node: &'a syn::ItemMacro) {
        if let Some(name) = &node.ident {
            self.define(name, "macro", String::new());
        }
        visit::visit_item_macro(self, node);
    }

    fn visit_item_impl(&mut self, node: &'a syn::ItemImpl) {
        let own = type_name(&node.self_ty);
        if let (Some((_, base, _)), Some(own)) = (&node.trait_, &own) {
            if let (Some(base), false) = (last(base), self.is_second) {
                self.facts.extensions.push(format!(
                    "{{\"name\":{:?},\"base\":{:?},\"path\":{:?},\"line\":{}}}",
                    own, base.to_string(), self.path, line(base.span())
                ));
            }
        }
        let outer = std::mem::replace(&mut self.container, own);
        visit::visit_item_impl(self, node);
        self.container = outer;
    }

    fn visit_impl_item_method(&mut self, node: &'a syn::ImplItemMethod) {
        self.function(&node.sig, true);
        let outer = self.inside.replace(node.sig.ident.to_string());
        visit::visit_impl_item_method(self, node);
        self.inside = outer;
    }

    fn visit_trait_item_method(&mut self, node: &'a syn::TraitItemMethod) {
        self.function(&node.sig, true);
        visit::visit_trait_item_method(self, node);
    }

    fn visit_pat_ident(&mut self, node: &'a syn::PatIdent) {
        self.define(&node.ident, "constant", ",\"isWeak\":true".into());
        visit::visit_pat_ident(self, node);
    }

    fn visit_field(&mut self, node: &'a syn::Field) {
        if let Some(name) = &node.ident {
            self.define(name, "constant", ",\"isWeak\":true".into());
        }
        visit::visit_field(self, node);
    }

    fn visit_expr_call(&mut self, node: &'a syn::ExprCall) {
        if let syn::Expr::Path(one) = &*node.func {
            let segments: Vec<String> = one.path.segments.iter().map(|one| one.ident.to_string()).collect();
            let qualifier = segments.len().checked_sub(2).map(|at| segments[at].clone());
            if let Some(name) = last(&one.path) {
                self.call(name, false, qualifier.clone());
                if (name == "var" || name == "var_os") && qualifier.map_or(true, |one| one == "env") {
                    self.env_read(node.args.first(), name.span());
                }
            }
        }
        visit::visit_expr_call(self, node);
    }

    fn visit_expr_method_call(&mut self, node: &'a syn::ExprMethodCall) {
        self.call(&node.method, true, None);
        let is_text = matches!(node.args.first(), Some(syn::Expr::Lit(_)));
        if node.method == "env" && node.args.len() == 1 && is_text {
            self.env_read(node.args.first(), node.method.span());
        }
        visit::visit_expr_method_call(self, node);
    }

    fn visit_macro(&mut self, node: &'a syn::Macro) {
        if let Some(name) = last(&node.path) {
            if name == "env" || name == "option_env" {
                if let Ok(text) = syn::parse2::<syn::LitStr>(node.tokens.clone()) {
                    self.env(&text.value(), name.span(), true);
                }
            }
        }
        self.tokens(node.tokens.clone());
        visit::visit_macro(self, node);
    }
}

/// Adds the names of functions in a tree of sources.
fn read_library(folder: &std::path::Path, names: &mut HashSet<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().filter_map(|one| one.ok()) {
        let path = entry.path();
        if path.is_dir() {
            read_library(&path, names);
        } else if path.extension().map_or(false, |ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            for part in text.split("fn ").skip(1) {
                names.insert(part.chars().take_while(|one| one.is_alphanumeric() || *one == '_').collect());
            }
        }
    }
}

fn main() {
    let root = std::env::args().nth(1).expect("the root");
    let mut facts = Facts::default();
    for entry in std::fs::read_dir("/usr/src").into_iter().flatten().filter_map(|one| one.ok()) {
        if entry.file_name().to_string_lossy().starts_with("rustc-") {
            read_library(&entry.path().join("library"), &mut facts.library);
        }
    }
    assert!(facts.library.contains("sort_by"), "rust-src is not installed");
    let mut files = Vec::new();
    for path in std::io::stdin().lock().lines().filter_map(|line| line.ok()).filter(|one| one.ends_with(".rs")) {
        let text = std::fs::read_to_string(format!("{}/{}", root, path)).unwrap_or_default();
        match syn::parse_file(&text) {
            Ok(file) => files.push((path, file)),
            Err(error) => eprintln!("{}: {}", path, error),
        }
    }
    for is_second in [false, true] {
        for (path, file) in &files {
            Reader { path, container: None, inside: None, is_second, facts: &mut facts }.visit_file(file);
        }
    }
    println!(
        "{{\"definitions\":[{}],\"calls\":[{}],\"imports\":[],\"env\":[{}],\"extensions\":[{}]}}",
        facts.definitions.join(","), facts.calls.join(","), facts.env.join(","), facts.extensions.join(",")
    );
}
