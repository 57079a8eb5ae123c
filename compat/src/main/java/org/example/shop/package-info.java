/**
 * Small applications, one for each framework, that do the same work over the same tables and print
 * everything they see. They do not depend on txwatch.
 *
 * <p>Each contains a lost update. The comments {@code // read}, {@code // write} and {@code //
 * commit} mark the lines that a report of it may name.
 */
@NullMarked
package org.example.shop;

import org.jspecify.annotations.NullMarked;
