/** The live graph, checked against JGraphT on random graphs. */
@org.jspecify.annotations.NullMarked
package io.txwatch.graph;
