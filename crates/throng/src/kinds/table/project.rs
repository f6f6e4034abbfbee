//! What an ARX project says of the table in it, as a schema.

use std::sync::Arc;

use throng_core::data::table::{ColumnRole, ColumnType, Table};
use throng_core::{Error, Result};

use super::schema::{HierarchyAt, Schema, SchemaColumn};
use crate::inputs::Inputs;
use crate::io::{Location, deid};
use crate::kinds::{Ask, Kinded as _};

/// The kind that a file with a schema is of.
pub(crate) fn kind_of_schemas() -> &'static str {
    Table::CARD.name
}

/// Whether data lie in a project, which has a schema of its own.
pub(crate) fn is_project(location: &Location) -> bool {
    matches!(location, Location::File(path) if deid::is_project(path))
}

/// How data are understood, with what the project says that they lie in.
pub(super) fn with_project(location: &Location, ask: &Ask) -> Result<Ask> {
    let mut ask = ask.clone();
    if let (true, Location::File(path)) = (is_project(location), location) {
        let project = deid::project(path)?;
        let schema = schema_of(&project).map_err(|error| error.in_file(path.display().to_string()))?;
        ask.project = Some(Arc::new(Schema { models: project.models, ..schema }));
    }
    Ok(ask)
}

fn schema_of(project: &deid::Project) -> Result<Schema> {
    let column = |own: &deid::ProjectColumn| {
        let role = match own.role.as_str() {
            "IDENTIFYING_ATTRIBUTE" => ColumnRole::Identifier,
            "QUASI_IDENTIFYING_ATTRIBUTE" => ColumnRole::Quasi,
            "SENSITIVE_ATTRIBUTE" => ColumnRole::Sensitive,
            "INSENSITIVE_ATTRIBUTE" => ColumnRole::Plain,
            _ => {
                return Err(Error::data("the project gives a column a role that is not known")
                    .in_column(&own.name)
                    .with_hint(
                        "roles of ARX are IDENTIFYING_, QUASI_IDENTIFYING_, SENSITIVE_ and INSENSITIVE_ATTRIBUTE",
                    ));
            }
        };
        let kind = match own.datatype.as_str() {
            "Integer" => Some(ColumnType::Integer),
            "Decimal" => Some(ColumnType::Real),
            "String" | "Ordinal" => Some(ColumnType::Text),
            // Days of ARX may have any form.
            _ => None,
        };
        let height = own.hierarchy.as_deref().and_then(|text| Some(text.lines().next()?.matches(';').count()));
        let levels = match (own.least, own.most, height) {
            (None, None, _) | (_, _, None) => None,
            (least, most, Some(height)) => Some((least.unwrap_or(0), most.unwrap_or(height))),
        };
        let said = SchemaColumn {
            role: Some(role),
            kind,
            hierarchy: own.hierarchy.clone().map(HierarchyAt::Text),
            levels,
            ..SchemaColumn::default()
        };
        Ok((own.name.clone(), said))
    };
    let columns = project.columns.iter().map(column).collect::<Result<_>>()?;
    Ok(Schema { columns, ..Schema::default() })
}

/// The share of rows that a project lets a method leave out, where it says so.
pub(crate) fn limit_of(inputs: &Inputs) -> Result<Option<f64>> {
    match inputs.paths()?.as_slice() {
        [path] if deid::is_project(path) => Ok(deid::project(path)?.suppress),
        _ => Ok(None),
    }
}
