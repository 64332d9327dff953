//! A page of HTML, as far as the tests look at it.

use std::collections::BTreeMap;

use html5gum::{HtmlString, Token, Tokenizer};

/// Elements that have no end.
const VOID: [&str; 6] = ["meta", "br", "hr", "img", "link", "input"];

/// An element, and all the text in it.
#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) name: String,
    attributes: BTreeMap<String, String>,
    pub(crate) text: String,
}
impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }
}

/// All elements, in the order in which they begin, and what is wrong with the page.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) elements: Vec<Element>,
    pub(crate) errors: Vec<String>,
}

impl Page {
    pub(crate) fn read(html: &str) -> Self {
        let mut page = Self::default();
        let mut open: Vec<usize> = Vec::new();
        for Ok(token) in Tokenizer::new(html) {
            match token {
                Token::StartTag(tag) => {
                    let name = utf8(&tag.name);
                    let attributes = tag.attributes.iter();
                    let attributes = attributes.map(|(name, value)| (utf8(name), utf8(value)));
                    if !tag.self_closing && !VOID.contains(&name.as_str()) {
                        open.push(page.elements.len());
                    }
                    let (attributes, text) = (attributes.collect(), String::new());
                    page.elements.push(Element { name, attributes, text });
                }
                Token::EndTag(tag) => {
                    let name = utf8(&tag.name);
                    match open.pop().map(|at| page.elements[at].name.clone()) {
                        Some(begun) if begun == name => {}
                        begun => page.errors.push(format!("{begun:?} ends as {name}")),
                    }
                }
                Token::String(text) => {
                    open.iter().for_each(|at| page.elements[*at].text += &utf8(&text));
                }
                Token::Error(error) => page.errors.push(format!("{error:?}")),
                Token::Comment(_) | Token::Doctype(_) => {}
            }
        }
        page.errors.extend(open.iter().map(|at| format!("{} never ends", page.elements[*at].name)));
        page
    }
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &Element> {
        self.elements.iter().filter(move |one| one.name == name)
    }
    /// Whether its text has these words.
    pub(crate) fn says(&self, words: &str) -> bool {
        self.all("body").any(|body| body.text.contains(words))
    }
}

fn utf8(text: &HtmlString) -> String {
    String::from_utf8(text.to_vec()).expect("UTF-8")
}
