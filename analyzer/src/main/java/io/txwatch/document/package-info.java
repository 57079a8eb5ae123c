/**
 * A finished report as a document: HTML, Markdown, SVG, DOT, SARIF 2.1.0 for code hosts, and JUnit
 * XML for build servers. Each is a pure function of a {@link io.txwatch.report.Report}, chosen by
 * the ending of a file's name ({@link io.txwatch.document.DocumentFormat}).
 *
 * <p>All of them escape what an application or a DBMS wrote for their format.
 */
@NullMarked
package io.txwatch.document;

import org.jspecify.annotations.NullMarked;
