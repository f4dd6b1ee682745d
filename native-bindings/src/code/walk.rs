//! From the tree to the definitions in it. One pass with a stack of its own: code may be nested 100,000 deep.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::banner;
use super::grammars::{Kind, Role, Roles};
use super::signature::{name, signature};

/// Positions are bytes.
#[derive(Debug)]
pub struct Definition {
    /// With the comments and attributes that belong to it, and what wraps it.
    pub start: usize,
    pub end: usize,
    pub signature: Range<usize>,
    pub name: Range<usize>,
    /// 1 for those that lie in no other.
    pub depth: u8,
    pub kind: Kind,
}

/// A document has six levels of headings.
const MAX_DEPTH: u8 = 6;
/// Functions shorter than this are a passage as they are, whatever is defined inside of them.
const MIN_OUTLINED_BYTES: usize = 2000;

const BODIES: [&str; 2] = ["block", "body_statement"];

/// A statement that becomes part of the definition in it.
#[derive(Clone, Copy)]
struct Wrapped<'tree> {
    start: usize,
    end: usize,
    wrapper: Node<'tree>,
    /// Whether the wrapper's words may begin the signature.
    naming: bool,
}

/// The children of one node, while they are gone through.
#[derive(Default)]
struct Level<'tree> {
    depth: u8,
    in_function: bool,
    wrapped: Option<Wrapped<'tree>>,
    /// The definition that has the end of the wrapper until another one follows it, and where its node ends.
    wrapped_row: Option<(usize, usize)>,
    /// Comments and attributes without a blank line between them, up to the child at hand.
    attached: Option<Range<usize>>,
    /// Where the child before ended; none at the beginning of the text.
    previous_end: Option<usize>,
    /// The group that a banner has opened and that what follows lies in.
    group: Option<usize>,
}

pub fn definitions(roles: &Roles, tree: &Tree, text: &[u8]) -> Vec<Definition> {
    let mut walk = Walk { roles, text, found: Vec::new(), in_preamble: true };
    let mut cursor = tree.walk();
    if !cursor.goto_first_child() {
        return walk.found;
    }
    let mut levels = vec![Level::default()];
    loop {
        let node = cursor.node();
        let Some(level) = levels.last_mut() else { return walk.found };
        let below = walk.visit(node, level);
        level.previous_end = Some(node.end_byte());
        if let Some(below) = below
            && cursor.goto_first_child()
        {
            levels.push(below);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if let Some(level) = levels.pop() {
                walk.end_group(&level);
            }
            if levels.is_empty() || !cursor.goto_parent() {
                return walk.found;
            }
        }
    }
}

struct Walk<'a> {
    roles: &'a Roles,
    text: &'a [u8],
    found: Vec<Definition>,
    /// Only comments so far: they are about the file.
    in_preamble: bool,
}

impl Walk<'_> {
    /// Takes one child of a level; the answer is the level of its own children, if they are of interest.
    fn visit<'tree>(&mut self, node: Node<'tree>, level: &mut Level<'tree>) -> Option<Level<'tree>> {
        let role = self.roles.of(node.kind_id());
        if role == Role::Comment || role == Role::Attribute {
            self.attach(node, role, level);
            return None;
        }
        let start = match level.attached.take() {
            Some(attached) if !self.has_blank_line(attached.end, node.start_byte()) => attached.start,
            Some(loose) => {
                self.open_group(loose, level);
                node.start_byte()
            }
            None => node.start_byte(),
        };
        self.in_preamble = false;
        match role {
            Role::Wrapper | Role::NamingWrapper => {
                let (start, end) =
                    level.wrapped.take().map_or((start, node.end_byte()), |outer| (outer.start, outer.end));
                let naming = role == Role::NamingWrapper;
                let wrapped = Wrapped { start, end, wrapper: node, naming };
                Some(below(level, node, Some(wrapped)))
            }
            _ => match self.defined(node, role, level) {
                Some((kind, value)) => self.add(node, kind, value, start, level),
                None => {
                    let mut inner = below(level, node, None);
                    // Where indentation makes a body, what stands before its first statement is not in it.
                    if BODIES.contains(&node.kind())
                        && level.group.is_some_and(|row| row + 1 == self.found.len())
                    {
                        inner.group = level.group.take();
                    }
                    Some(inner)
                }
            },
        }
    }

    fn attach(&mut self, node: Node, role: Role, level: &mut Level) {
        let range = node.byte_range();
        let comment = &self.text[range.clone()];
        // An inner doc comment is of what it lies in, and a comment behind something is of that.
        let is_inner = comment.starts_with(b"//!") || comment.starts_with(b"/*!");
        let trails = level.previous_end.is_some_and(|end| self.line_ends(end, range.start) == 0);
        if role == Role::Comment && (is_inner || trails) {
            level.attached = None;
            return;
        }
        // A banner and the doc comment below it, which would not stand there if the banner were one.
        let is_doc = role == Role::Comment && (comment.starts_with(b"/**") || comment.starts_with(b"///"));
        let start = match level.attached.take() {
            None => range.start,
            Some(attached) if self.has_blank_line(attached.end, range.start) => {
                self.open_group(attached, level);
                range.start
            }
            Some(attached) if is_doc && self.open_group(attached.clone(), level) => range.start,
            Some(attached) => attached.start,
        };
        level.attached = Some(start..range.end);
    }

    /// Whether comments that belong to no definition head those that follow, up to the next such ones or a rule without
    /// words.
    fn open_group(&mut self, comments: Range<usize>, level: &mut Level) -> bool {
        let Ok(comment) = str::from_utf8(&self.text[comments.clone()]) else { return false };
        let Some(words) = banner::words(comment) else {
            if banner::is_rule(comment)
                && let Some(row) = level.group.take()
            {
                self.found[row].end = comments.start;
                level.depth -= 1;
            }
            return false;
        };
        let depth = level.depth + u8::from(level.group.is_none());
        if self.in_preamble || level.wrapped.is_some() || depth >= MAX_DEPTH {
            return false;
        }
        if let Some(before) = level.group {
            self.found[before].end = comments.start;
        }
        level.group = Some(self.found.len());
        level.depth = depth;
        if let Some((row, end)) = level.wrapped_row.take() {
            self.found[row].end = end;
        }
        let words = comments.start + words.start..comments.start + words.end;
        self.found.push(Definition {
            start: comments.start,
            end: self.text.len(),
            signature: words.clone(),
            name: words,
            depth,
            kind: Kind::Namespace,
        });
        true
    }

    /// A group ends with what it lies in.
    fn end_group(&mut self, level: &Level) {
        if let (Some(row), Some(end)) = (level.group, level.previous_end) {
            self.found[row].end = end;
        }
    }

    /// What the node defines, and the value that says so if it is not the node itself.
    fn defined<'tree>(
        &self,
        node: Node<'tree>,
        role: Role,
        level: &Level<'tree>,
    ) -> Option<(Kind, Option<Node<'tree>>)> {
        match role {
            Role::Definition(kind) => Some((kind, None)),
            Role::WithBody(kind) => node.child_by_field_name("body").map(|_| (kind, None)),
            Role::MultiLine(kind) => is_multi_line(node).then_some((kind, None)),
            Role::Binding => {
                let (kind, value) = valued(node)?;
                (kind != Kind::Value || !level.in_function).then_some((kind, Some(value)))
            }
            Role::Member => {
                let (kind, value) = valued(node)?;
                (kind != Kind::Value && is_multi_line(node)).then_some((kind, Some(value)))
            }
            Role::Call => {
                named_call(node, level.wrapped.is_some()).map(|value| (Kind::Function, Some(value)))
            }
            _ => None,
        }
    }

    fn add<'tree>(
        &mut self,
        node: Node<'tree>,
        kind: Kind,
        value: Option<Node<'tree>>,
        start: usize,
        level: &mut Level<'tree>,
    ) -> Option<Level<'tree>> {
        let depth = level.depth + 1;
        let wrapped = level.wrapped.take();
        let (start, end) = wrapped.map_or((start, node.end_byte()), |outer| (outer.start, outer.end));
        if let Some((row, end)) = level.wrapped_row.take() {
            self.found[row].end = end;
        }
        level.wrapped_row = wrapped.map(|_| (self.found.len(), node.end_byte()));
        let naming = wrapped.and_then(|outer| self.naming_start(outer, node));
        self.found.push(Definition {
            start,
            end: end.max(node.end_byte()),
            signature: signature(self.roles, self.text, node, naming, value),
            name: name(node, wrapped.map(|outer| outer.wrapper)),
            depth,
            kind,
        });
        let is_short = kind == Kind::Function && node.end_byte() - node.start_byte() < MIN_OUTLINED_BYTES;
        if is_short || depth == MAX_DEPTH {
            return None;
        }
        let in_function = kind == Kind::Function;
        Some(Level { depth, in_function, ..below(level, node, None) })
    }

    /// Where `type` or `typedef` begins, if that is all that stands before the node.
    fn naming_start(&self, outer: Wrapped, node: Node) -> Option<usize> {
        let start = outer.wrapper.start_byte();
        let words = self.text.get(start..node.start_byte())?;
        let is_plain = words.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b' ');
        (outer.naming && is_plain).then_some(start)
    }

    /// More than one line end between two positions, white space before the first one included.
    fn has_blank_line(&self, from: usize, to: usize) -> bool {
        let trimmed = self.text[..from].iter().rposition(|byte| !byte.is_ascii_whitespace());
        self.line_ends(trimmed.map_or(0, |at| at + 1), to) > 1
    }

    /// LF, CRLF and CR each end a line.
    fn line_ends(&self, from: usize, to: usize) -> usize {
        let gap = self.text.get(from..to).unwrap_or_default();
        let pairs = gap.windows(2).filter(|pair| pair == b"\r\n").count();
        gap.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() - pairs
    }
}

fn below<'tree>(level: &Level, node: Node<'tree>, wrapped: Option<Wrapped<'tree>>) -> Level<'tree> {
    let (depth, in_function) = (level.depth, level.in_function);
    Level { depth, in_function, wrapped, previous_end: Some(node.start_byte()), ..Level::default() }
}

fn is_multi_line(node: Node) -> bool {
    node.end_position().row > node.start_position().row
}

/// Values within values that are looked through: `x = memo((wrapped))`.
const MAX_UNWRAPPED: usize = 4;

/// The function, class or object that a binding gives its name to. One-line objects are data.
fn valued(binding: Node) -> Option<(Kind, Node)> {
    let field = ["value", "right"].iter().find_map(|field| binding.child_by_field_name(field));
    let mut value = field.or_else(|| last_named(binding))?;
    for _ in 0..MAX_UNWRAPPED {
        match value.kind() {
            "arrow_function"
            | "function_expression"
            | "generator_function"
            | "func_literal"
            | "function_definition" => return Some((Kind::Function, value)),
            "class" => return Some((Kind::Type, value)),
            "object" => return is_multi_line(value).then_some((Kind::Value, value)),
            "parenthesized_expression" | "as_expression" | "satisfies_expression" => {
                value = value.named_child(0)?;
            }
            "expression_list" if value.named_child_count() == 1 => value = value.named_child(0)?,
            "call_expression" if is_multi_line(value) => {
                value = last_named(value.child_by_field_name("arguments")?)?;
            }
            _ => return None,
        }
    }
    None
}

fn last_named(node: Node) -> Option<Node> {
    node.named_child((node.named_child_count() as u32).checked_sub(1)?)
}

/// The function that a call hands over after a string, as tests, tasks and routes do it.
fn named_call(call: Node, is_statement: bool) -> Option<Node> {
    if !is_multi_line(call) {
        return None;
    }
    let arguments = call.child_by_field_name("arguments")?;
    let first = arguments.named_child(0)?;
    if !matches!(first.kind(), "string" | "template_string" | "simple_symbol") {
        return None;
    }
    if let Some(block) = call.child_by_field_name("block") {
        return (block.kind() == "do_block").then_some(block);
    }
    let last = last_named(arguments)?;
    let is_function = matches!(last.kind(), "arrow_function" | "function_expression");
    (is_statement && is_function && is_multi_line(last)).then_some(last)
}
