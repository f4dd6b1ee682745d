//! The languages, and what the nodes of their grammars mean to an outline.

use std::sync::OnceLock;

use tree_sitter::Language;

/// What a definition is; the numbers are those of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Namespace = 0,
    Type = 1,
    Function = 2,
    Value = 3,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Holds definitions perhaps, and is none.
    Plain,
    /// Belongs to the definition below it, unless it follows something on its own line.
    Comment,
    /// A decorator, annotation or attribute: belongs to the definition below it, or around it.
    Attribute,
    /// Holds attributes and keywords: `@Override public`.
    Modifiers,
    /// What stands around a definition and belongs to it: `export`, `template <…>`, a statement.
    Wrapper,
    /// A wrapper whose own words begin the signature: `type`, `typedef`.
    NamingWrapper,
    Definition(Kind),
    /// A definition if it has a body: `struct x { … }`, not `struct x *`.
    WithBody(Kind),
    /// A definition if it is longer than a line.
    MultiLine(Kind),
    /// A name and its value: a definition if that is a function, a class or a long object.
    Binding,
    /// A binding inside of an object: a definition if its value is a function longer than a line.
    Member,
    /// A call that hands over a name and a function: `describe('…', () => { … })`.
    Call,
    /// What signatures end before.
    Body,
}

pub struct Grammar {
    pub name: &'static str,
    pub language: fn() -> Language,
    kinds: &'static [(Role, &'static str)],
    roles: OnceLock<Roles>,
}

/// The role of each kind of node by its number.
pub struct Roles(Vec<Role>);

impl Roles {
    pub fn of(&self, kind: u16) -> Role {
        self.0.get(usize::from(kind)).copied().unwrap_or(Role::Plain)
    }
}

impl Grammar {
    const fn new(
        name: &'static str,
        language: fn() -> Language,
        kinds: &'static [(Role, &'static str)],
    ) -> Self {
        Self { name, language, kinds, roles: OnceLock::new() }
    }

    pub fn roles(&self) -> &Roles {
        self.roles.get_or_init(|| {
            let language = (self.language)();
            let role = |id: u16| {
                let name = language.node_kind_for_id(id).filter(|_| language.node_kind_is_named(id));
                let found =
                    self.kinds.iter().find(|(_, kinds)| kinds.split(' ').any(|kind| Some(kind) == name));
                found.map_or(Role::Plain, |(role, _)| *role)
            };
            Roles((0..language.node_kind_count() as u16).map(role).collect())
        })
    }
}

use Kind::{Function, Namespace, Type};
use Role::{
    Attribute, Binding, Body, Call, Comment, Definition, Member, Modifiers, MultiLine, NamingWrapper,
    WithBody, Wrapper,
};

const JAVASCRIPT: &[(Role, &str)] = &[
    (Comment, "comment"),
    (Attribute, "decorator"),
    (
        Wrapper,
        "export_statement lexical_declaration variable_declaration expression_statement ambient_declaration",
    ),
    (Definition(Namespace), "internal_module module"),
    (Definition(Type), "class_declaration abstract_class_declaration interface_declaration enum_declaration"),
    (MultiLine(Type), "type_alias_declaration"),
    (
        Definition(Function),
        "function_declaration generator_function_declaration function_signature method_definition abstract_method_signature",
    ),
    (Binding, "variable_declarator assignment_expression public_field_definition field_definition"),
    (Member, "pair"),
    (Call, "call_expression"),
    (Body, "class_body interface_body enum_body"),
];

const C: &[(Role, &str)] = &[
    (Comment, "comment"),
    (Attribute, "attribute_declaration"),
    (Wrapper, "template_declaration declaration field_declaration"),
    (NamingWrapper, "type_definition"),
    (WithBody(Namespace), "namespace_definition"),
    (WithBody(Type), "struct_specifier union_specifier enum_specifier class_specifier"),
    (Definition(Type), "concept_definition"),
    (Definition(Function), "function_definition"),
    (MultiLine(Function), "preproc_function_def"),
    (Body, "field_initializer_list default_method_clause delete_method_clause preproc_arg"),
];

pub static GRAMMARS: [Grammar; 15] = [
    Grammar::new("typescript", || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), JAVASCRIPT),
    Grammar::new("tsx", || tree_sitter_typescript::LANGUAGE_TSX.into(), JAVASCRIPT),
    Grammar::new("javascript", || tree_sitter_javascript::LANGUAGE.into(), JAVASCRIPT),
    Grammar::new(
        "python",
        || tree_sitter_python::LANGUAGE.into(),
        &[
            (Comment, "comment"),
            (Attribute, "decorator"),
            (Wrapper, "decorated_definition"),
            (Definition(Type), "class_definition"),
            (Definition(Function), "function_definition"),
        ],
    ),
    Grammar::new(
        "rust",
        || tree_sitter_rust::LANGUAGE.into(),
        &[
            (Comment, "line_comment block_comment"),
            (Attribute, "attribute_item"),
            (WithBody(Namespace), "mod_item"),
            (Definition(Type), "struct_item enum_item union_item trait_item impl_item"),
            (Definition(Function), "function_item function_signature_item macro_definition"),
        ],
    ),
    Grammar::new(
        "go",
        || tree_sitter_go::LANGUAGE.into(),
        &[
            (Comment, "comment"),
            (Wrapper, "var_declaration"),
            (NamingWrapper, "type_declaration"),
            (Definition(Type), "type_spec type_alias"),
            (Definition(Function), "function_declaration method_declaration"),
            (Binding, "var_spec"),
        ],
    ),
    Grammar::new(
        "java",
        || tree_sitter_java::LANGUAGE.into(),
        &[
            (Comment, "line_comment block_comment"),
            (Attribute, "annotation marker_annotation"),
            (Modifiers, "modifiers"),
            (
                Definition(Type),
                "class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration",
            ),
            (
                Definition(Function),
                "method_declaration constructor_declaration compact_constructor_declaration",
            ),
            (Body, "class_body interface_body enum_body annotation_type_body"),
        ],
    ),
    Grammar::new("c", || tree_sitter_c::LANGUAGE.into(), C),
    Grammar::new("cpp", || tree_sitter_cpp::LANGUAGE.into(), C),
    Grammar::new(
        "csharp",
        || tree_sitter_c_sharp::LANGUAGE.into(),
        &[
            (Comment, "comment"),
            (Attribute, "attribute_list"),
            (Definition(Namespace), "namespace_declaration"),
            (
                Definition(Type),
                "class_declaration interface_declaration struct_declaration enum_declaration record_declaration delegate_declaration",
            ),
            (
                Definition(Function),
                "method_declaration constructor_declaration destructor_declaration operator_declaration conversion_operator_declaration local_function_statement",
            ),
            (MultiLine(Function), "property_declaration indexer_declaration event_declaration"),
            (Body, "declaration_list accessor_list arrow_expression_clause"),
        ],
    ),
    Grammar::new(
        "ruby",
        || tree_sitter_ruby::LANGUAGE.into(),
        &[
            (Comment, "comment"),
            (Definition(Namespace), "module"),
            (Definition(Type), "class singleton_class"),
            (Definition(Function), "method singleton_method"),
            (Call, "call"),
        ],
    ),
    Grammar::new(
        "php",
        || tree_sitter_php::LANGUAGE_PHP.into(),
        &[
            (Comment, "comment"),
            (Attribute, "attribute_list"),
            (WithBody(Namespace), "namespace_definition"),
            (Definition(Type), "class_declaration interface_declaration trait_declaration enum_declaration"),
            (Definition(Function), "method_declaration function_definition"),
        ],
    ),
    Grammar::new(
        "kotlin",
        || tree_sitter_kotlin_ng::LANGUAGE.into(),
        &[
            (Comment, "line_comment block_comment"),
            (Attribute, "annotation"),
            (Modifiers, "modifiers"),
            (Definition(Type), "class_declaration object_declaration companion_object"),
            (Definition(Function), "function_declaration secondary_constructor"),
            (Body, "class_body enum_class_body function_body block"),
        ],
    ),
    Grammar::new(
        "bash",
        || tree_sitter_bash::LANGUAGE.into(),
        &[(Comment, "comment"), (Definition(Function), "function_definition")],
    ),
    Grammar::new(
        "lua",
        || tree_sitter_lua::LANGUAGE.into(),
        &[
            (Comment, "comment"),
            (Wrapper, "variable_declaration"),
            (Definition(Function), "function_declaration"),
            (Binding, "assignment_statement"),
            (Member, "field"),
        ],
    ),
];
