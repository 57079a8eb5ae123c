/** The service by itself, on embedded databases: its races are real, and so are their repairs. */
@NullMarked
package io.txwatch.demo;

import org.jspecify.annotations.NullMarked;
