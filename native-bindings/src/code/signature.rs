//! What a definition says of itself before its body, and its name.

use std::ops::Range;

use tree_sitter::Node;

use super::grammars::{Role, Roles};

/// Longer ones are cut: a heading is for reading.
const MAX_SIGNATURE_BYTES: usize = 400;

/// From the first word that is no attribute to the body. `from`: where a wrapper's words begin it, if they do. `value`:
/// the function, class or object that a binding or call gives the name to.
pub fn signature(
    roles: &Roles,
    text: &[u8],
    node: Node,
    from: Option<usize>,
    value: Option<Node>,
) -> Range<usize> {
    let start = from.unwrap_or_else(|| behind_attributes(roles, node)).min(node.end_byte());
    let end = match value {
        Some(value) => body_start(roles, value).unwrap_or_else(|| value.start_byte()),
        None => body_start(roles, node).unwrap_or_else(|| first_line_end(text, start, node.end_byte())),
    };
    let mut end = end.clamp(start, (start + MAX_SIGNATURE_BYTES).min(text.len()));
    while end < text.len() && end > start && text[end] & 0xC0 == 0x80 {
        end -= 1;
    }
    start..end
}

/// Decorators, annotations and comments that are the first children do not belong to the signature.
fn behind_attributes(roles: &Roles, node: Node) -> usize {
    let mut start = node.start_byte();
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        start = child.start_byte();
        match roles.of(child.kind_id()) {
            Role::Attribute | Role::Comment => start = child.end_byte(),
            Role::Modifiers => {
                let mut inner = child.walk();
                let keyword = child.children(&mut inner).find(|part| !is_attribute(roles, *part));
                match keyword {
                    Some(keyword) => return keyword.start_byte(),
                    None => start = child.end_byte(),
                }
            }
            _ => break,
        }
    }
    start
}

fn is_attribute(roles: &Roles, node: Node) -> bool {
    matches!(roles.of(node.kind_id()), Role::Attribute | Role::Comment)
}

/// Where the first child begins that is a body by its field or by its kind, or the comments before it.
fn body_start(roles: &Roles, node: Node) -> Option<usize> {
    let mut cursor = node.walk();
    if !cursor.goto_first_child() {
        return None;
    }
    let mut comments = None;
    loop {
        let child = cursor.node();
        if roles.of(child.kind_id()) == Role::Comment {
            comments = comments.or(Some(child.start_byte()));
            if !cursor.goto_next_sibling() {
                return None;
            }
            continue;
        }
        let is_alias = cursor.field_name() == Some("value") && node.kind() == "type_alias_declaration";
        if cursor.field_name() == Some("body") || is_alias || roles.of(child.kind_id()) == Role::Body {
            return comments.or(Some(child.start_byte()));
        }
        comments = None;
        if !cursor.goto_next_sibling() {
            return None;
        }
    }
}

/// Of a definition without a body: up to a brace, a semicolon or the end of a line outside of parentheses.
fn first_line_end(text: &[u8], start: usize, end: usize) -> usize {
    let mut open = 0usize;
    for (at, byte) in text.iter().enumerate().take(end.min(start + MAX_SIGNATURE_BYTES)).skip(start) {
        match byte {
            b'(' | b'[' => open += 1,
            b')' | b']' => open = open.saturating_sub(1),
            b'{' | b';' | b'\n' | b'\r' if open == 0 => return at,
            _ => {}
        }
    }
    end
}

/// Of declarators in declarators, as C has them, the innermost.
const MAX_DECLARATORS: usize = 16;

/// Empty where the node has no name.
pub fn name(node: Node, wrapper: Option<Node>) -> Range<usize> {
    let named = ["name", "left", "property", "key"].iter().find_map(|field| node.child_by_field_name(field));
    let mut found = named.or_else(|| node.child_by_field_name("declarator"));
    if found.is_none() {
        found = wrapper.and_then(|wrapper| wrapper.child_by_field_name("declarator"));
    }
    let Some(mut name) = found else { return node.start_byte()..node.start_byte() };
    for _ in 0..MAX_DECLARATORS {
        let Some(inner) = name.child_by_field_name("declarator") else { break };
        name = inner;
    }
    name.byte_range()
}
