//! Tables and lists of the report, as semantic elements.

use leptos::prelude::*;
use tokencap_shared::format::MISSING;
use tokencap_shared::report::table::{Align, Cell, Table, Tone};
use tokencap_shared::report::view::Pair;

/// The class of a tone in the style sheet.
pub(crate) const fn tone_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "plain",
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Unsure => "unsure",
        Tone::Muted => "muted",
    }
}

/// A table of the report. The first column names the rows; units stand under the headers.
#[component]
pub(crate) fn DataTable(
    /// The table.
    table: Table,
    /// Its element's id.
    id: &'static str,
) -> impl IntoView {
    let Table { caption, columns, rows } = table;
    let aligns: Vec<Align> = columns.iter().map(|column| column.align).collect();
    let heads = columns.into_iter().map(|column| {
        view! {
            <th scope="col" class=align_class(column.align)>
                {column.header}
                {(!column.unit.is_empty()).then(|| view! { <span class="unit">{column.unit}</span> })}
            </th>
        }
    });
    let heads = heads.collect_view();
    let rows = rows.into_iter().map(|cells| {
        let cells = cells.into_iter().zip(&aligns).enumerate();
        let cells = cells.map(|(at, (cell, align))| data_cell(cell, *align, at == 0));
        view! { <tr>{cells.collect_view()}</tr> }
    });
    let rows = rows.collect_view();
    view! {
        <Scrolls label=caption.clone()>
            <table id=id data-testid=id class="data">
                <caption>{caption}</caption>
                <thead><tr>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </Scrolls>
    }
    .into_any()
}

/// A frame whose wide content scrolls sideways, with the keyboard too.
#[component]
pub(crate) fn Scrolls(label: String, children: Children) -> impl IntoView {
    view! { <div class="scrolls" role="region" aria-label=label tabindex="0">{children()}</div> }
}

const fn align_class(align: Align) -> &'static str {
    match align {
        Align::Left => "text",
        Align::Right => "number",
    }
}

fn data_cell(cell: Cell, align: Align, heads_row: bool) -> AnyView {
    let class = format!("{} {}", align_class(align), tone_class(cell.tone));
    let content = cell_content(cell);
    if heads_row {
        view! { <th scope="row" class=class>{content}</th> }.into_any()
    } else {
        view! { <td class=class>{content}</td> }.into_any()
    }
}

/// A cell's text and its remark. A missing value is a dash to the eye and its reason to the ear,
/// and the reason shows beside it where the pointer or the keyboard asks for it.
pub(crate) fn cell_content(cell: Cell) -> AnyView {
    let Cell { text, note, .. } = cell;
    match note {
        Some(note) if text == MISSING => view! { <Missing reason=note/> }.into_any(),
        Some(note) => view! { {text}<small class="note">{note}</small> }.into_any(),
        None => text.into_any(),
    }
}

/// A dash with the reason why there is no value.
#[component]
pub(crate) fn Missing(reason: String) -> impl IntoView {
    view! {
        <span class="missing">
            <span aria-hidden="true">{MISSING}</span>
            <small class="note">{reason}</small>
        </span>
    }
}

/// Labels and their values.
#[component]
pub(crate) fn Pairs(
    /// The pairs.
    pairs: Vec<Pair>,
    /// The list's id.
    id: &'static str,
) -> impl IntoView {
    let items = pairs.into_iter().map(|(label, value)| {
        view! { <div><dt>{label}</dt><dd>{value}</dd></div> }
    });
    view! { <dl class="pairs" id=id data-testid=id>{items.collect_view()}</dl> }.into_any()
}
