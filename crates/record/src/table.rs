//! A table as a plain value: columns and rows of text that is already formatted for a person.

use serde::{Deserialize, Serialize};

/// Rows and columns of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// What the table shows.
    pub title: String,
    /// The columns, left to right.
    pub columns: Vec<Column>,
    /// The rows, top to bottom; each holds as many cells as there are columns.
    pub rows: Vec<Vec<String>>,
}

/// One column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// What stands above it.
    pub title: String,
    /// How its cells are set.
    pub align: Align,
}

/// How a column's cells are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

impl Table {
    /// An empty table with these columns.
    pub fn new(title: &str, columns: &[(&str, Align)]) -> Self {
        let column =
            |(title, align): &(&str, Align)| Column { title: (*title).into(), align: *align };
        Self {
            title: title.into(),
            columns: columns.iter().map(column).collect(),
            rows: Vec::new(),
        }
    }
}
