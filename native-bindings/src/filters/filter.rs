//! A filter as the TypeScript side parsed it: the JSON of a `FilterNode` of `src/store/filter/parse.ts`, with what it
//! compares put into the form that columns are searched by.

use super::date::parse_date;
use super::json::{JsonReader, Kind};
use crate::errors::{Failure, Outcome};

pub enum Filter {
    All(Vec<Filter>),
    Any(Vec<Filter>),
    Not(Box<Filter>),
    Field { field: String, optional: bool, test: Test },
}

pub enum Test {
    Exists(bool),
    /// Some element is one of these.
    In(Values),
    /// Each of these is an element.
    Contains(Values),
    Prefix(String),
    Compare(Comparison, Bound),
}

/// Distinct and sorted.
#[derive(Default)]
pub struct Values {
    pub strings: Vec<String>,
    pub numbers: Vec<f64>,
    pub has_null: bool,
    pub has_false: bool,
    pub has_true: bool,
}

#[derive(Clone, Copy)]
pub enum Comparison {
    Greater,
    AtLeast,
    Less,
    AtMost,
}

/// Each compares with elements of its own kind only.
pub enum Bound {
    Number(f64),
    /// A string that is a date compares with dates.
    Date(i64),
    Text(String),
}

impl Filter {
    /// An empty text is the filter that everything passes.
    pub fn parse(text: &str) -> Outcome<Self> {
        if text.is_empty() {
            return Ok(Filter::All(Vec::new()));
        }
        let mut reader = JsonReader::new(text);
        let filter = node(&mut reader)?;
        reader.end()?;
        Ok(filter)
    }

    /// Calls `each` with every field that must exist somewhere.
    pub fn for_each_field(&self, each: &mut impl FnMut(&str) -> Outcome<()>) -> Outcome<()> {
        match self {
            Filter::All(nodes) | Filter::Any(nodes) => {
                nodes.iter().try_for_each(|node| node.for_each_field(each))
            }
            Filter::Not(node) => node.for_each_field(each),
            Filter::Field { optional: true, .. } => Ok(()),
            Filter::Field { field, .. } => each(field),
        }
    }
}

/// What an object may hold, of a node or of a test.
#[derive(Default)]
struct Parts {
    kind: String,
    op: String,
    field: Option<String>,
    optional: bool,
    nodes: Vec<Filter>,
    node: Option<Filter>,
    test: Option<Test>,
    values: Values,
    value: Option<Value>,
}

enum Value {
    Text(String),
    Number(f64),
    Flag(bool),
}

fn node(reader: &mut JsonReader) -> Outcome<Filter> {
    let parts = parts(reader)?;
    Ok(match parts.kind.as_str() {
        "all" => Filter::All(parts.nodes),
        "any" => Filter::Any(parts.nodes),
        "not" => Filter::Not(Box::new(parts.node.ok_or_else(|| wrong("'not' has no node"))?)),
        "field" => Filter::Field {
            field: parts.field.ok_or_else(|| wrong("a condition has no field"))?,
            optional: parts.optional,
            test: parts.test.ok_or_else(|| wrong("a condition has no test"))?,
        },
        kind => return Err(wrong(&format!("'{kind}' is no kind of node"))),
    })
}

fn parts(reader: &mut JsonReader) -> Outcome<Parts> {
    let mut parts = Parts::default();
    reader.object(|reader, key| {
        match key {
            "kind" => reader.text(&mut parts.kind)?,
            "op" => reader.text(&mut parts.op)?,
            "field" => reader.text(parts.field.insert(String::new()))?,
            "optional" => parts.optional = reader.boolean()?,
            "nodes" => reader.array(|reader| {
                parts.nodes.push(node(reader)?);
                Ok(())
            })?,
            "node" => parts.node = Some(node(reader)?),
            "test" => parts.test = Some(test(reader)?),
            "values" => parts.values = values(reader)?,
            "value" => parts.value = Some(value(reader)?),
            _ => return Err(wrong(&format!("'{key}' belongs to no node"))),
        }
        Ok(())
    })?;
    Ok(parts)
}

fn test(reader: &mut JsonReader) -> Outcome<Test> {
    let parts = parts(reader)?;
    let comparison = match parts.op.as_str() {
        "in" => return Ok(Test::In(parts.values)),
        "contains" => return Ok(Test::Contains(parts.values)),
        "exists" => {
            return match parts.value {
                Some(Value::Flag(flag)) => Ok(Test::Exists(flag)),
                _ => Err(wrong("'exists' needs true or false")),
            };
        }
        "prefix" => {
            return match parts.value {
                Some(Value::Text(prefix)) => Ok(Test::Prefix(prefix)),
                _ => Err(wrong("'prefix' needs a string")),
            };
        }
        "gt" => Comparison::Greater,
        "gte" => Comparison::AtLeast,
        "lt" => Comparison::Less,
        "lte" => Comparison::AtMost,
        op => return Err(wrong(&format!("'{op}' is no test"))),
    };
    let bound = match parts.value {
        Some(Value::Number(number)) => Bound::Number(number),
        Some(Value::Text(text)) => parse_date(text.as_bytes()).map_or(Bound::Text(text), Bound::Date),
        _ => return Err(wrong("a range needs a number or a string")),
    };
    Ok(Test::Compare(comparison, bound))
}

fn value(reader: &mut JsonReader) -> Outcome<Value> {
    Ok(match reader.kind()? {
        Kind::Boolean => Value::Flag(reader.boolean()?),
        Kind::Number => Value::Number(reader.number()?),
        _ => {
            let mut text = String::new();
            reader.text(&mut text)?;
            Value::Text(text)
        }
    })
}

fn values(reader: &mut JsonReader) -> Outcome<Values> {
    let mut values = Values::default();
    reader.array(|reader| {
        match reader.kind()? {
            Kind::Null => {
                values.has_null = true;
                return reader.null();
            }
            Kind::Boolean if reader.boolean()? => values.has_true = true,
            Kind::Boolean => values.has_false = true,
            Kind::Number => values.numbers.push(reader.number()?),
            _ => {
                let mut text = String::new();
                reader.text(&mut text)?;
                values.strings.push(text);
            }
        }
        Ok(())
    })?;
    values.strings.sort_unstable();
    values.strings.dedup();
    values.numbers.sort_unstable_by(f64::total_cmp);
    values.numbers.dedup();
    Ok(values)
}

fn wrong(what: &str) -> Failure {
    Failure::argument(format!("filter: {what}"))
}
