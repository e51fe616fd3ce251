//! JSON as any server might write it.

use serde_json::Value;
use tokencap_testkit::random::Random;

/// Writes JSON with keys in any order, any white space and any escapes. Layout and escapes are
/// thrown for apart.
pub(super) struct Writer {
    layout: Random,
    escapes: Random,
    spaces: bool,
    pub(super) out: String,
}

impl Writer {
    pub(super) fn new(layout: u64, escapes: u64) -> Self {
        let mut layout = Random::new(layout);
        let spaces = layout.below(2) == 0;
        Self { layout, escapes: Random::new(escapes), spaces, out: String::new() }
    }

    pub(super) fn write(event: &Value, layout: u64, escapes: u64) -> String {
        let mut writer = Self::new(layout, escapes);
        writer.value(event);
        writer.out
    }

    fn space(&mut self) {
        if self.spaces {
            self.out += ["", "", " ", "\n", "\t ", "\r\n"][self.layout.below(6)];
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Object(fields) => {
                let mut left: Vec<_> = fields.iter().collect();
                self.out.push('{');
                while !left.is_empty() {
                    let (key, value) = left.swap_remove(self.layout.below(left.len()));
                    self.space();
                    // One key in a hundred is escaped, as no engine does.
                    let escape = self.layout.below(100) == 0;
                    self.string(key, escape);
                    self.space();
                    self.out.push(':');
                    self.space();
                    self.value(value);
                    self.space();
                    if !left.is_empty() {
                        self.out.push(',');
                    }
                }
                self.out.push('}');
            }
            Value::Array(items) => {
                self.out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.out.push(',');
                    }
                    self.space();
                    self.value(item);
                    self.space();
                }
                self.out.push(']');
            }
            Value::String(text) => {
                let escape = text != "HERE" && self.escapes.below(3) == 0;
                self.string(text, escape);
            }
            other => self.out += &other.to_string(),
        }
    }

    pub(super) fn string(&mut self, text: &str, escape: bool) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                _ if escape && self.escapes.below(3) == 0 => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        self.out += &format!("\\u{unit:04x}");
                    }
                }
                '/' if escape => self.out += "\\/",
                '"' => self.out += "\\\"",
                '\\' => self.out += "\\\\",
                '\n' => self.out += "\\n",
                '\0'..' ' => self.out += &format!("\\u{:04X}", u32::from(c)),
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }
}
