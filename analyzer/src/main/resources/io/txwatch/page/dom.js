'use strict';

// Elements are only ever made here, and text only ever becomes a text node: SQL cannot become markup.

/** An element with attributes and children, which are elements or strings. */
function el(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same in SVG. */
function svg(name, attributes, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(key, value === true ? '' : String(value));
    }
  }
  node.append(...children.flat().filter(child => child !== null && child !== undefined)
    .map(child => typeof child === 'string' ? visible(child) : child));
  return node;
}

/** The text with its invisible characters as escapes: some of them turn the direction of what follows. */
const visible = text => text.replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
  c => [...Array(c.length).keys()].map(i => '\\u' + c.charCodeAt(i).toString(16).padStart(4, '0')).join(''));

/**
 * Makes the children of a node those of a list of items, by their keys. An element that is there already is kept and, if
 * its item was drawn differently then, gets new content: a click on it, and the focus, are not lost.
 */
function keyed(parent, items, keyOf, make, refresh) {
  const present = new Map([...parent.children].map(child => [child.dataset.key, child]));
  const keys = new Set(items.map(keyOf));
  present.forEach((child, key) => keys.has(key) || child.remove());
  let next = parent.firstElementChild;
  for (const item of items) {
    const known = present.get(keyOf(item));
    const child = known ?? make(item);
    child.dataset.key = keyOf(item);
    if (known !== undefined) {
      refresh(known, item);
    }
    if (child === next) {
      next = next.nextElementSibling;
    } else {
      parent.insertBefore(child, next);
    }
  }
}

const byId = id => document.getElementById(id);

const number = value => value.toLocaleString('en-US');
