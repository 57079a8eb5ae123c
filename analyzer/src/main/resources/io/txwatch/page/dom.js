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
  node.append(...children.flat().filter(child => child !== null && child !== undefined));
  return node;
}

const byId = id => document.getElementById(id);

const number = value => value.toLocaleString('en-US');
