/**
 * The page that shows anomalies in a browser: live ({@link io.txwatch.page.LivePage}), or as one
 * file ({@link io.txwatch.page.ReportPage}). Both consist of the same scripts, which draw what
 * {@link io.txwatch.report.JsonReport} writes.
 *
 * <p>Nothing that an application or a DBMS wrote becomes markup. The data are JSON in which {@code
 * <}, {@code >} and {@code &} are escaped, the scripts create text nodes only, and the content
 * security policy permits no script and no style but the page's own, and no request to another
 * host.
 */
@NullMarked
package io.txwatch.page;

import org.jspecify.annotations.NullMarked;
