/** Golden texts of reports on small anomalies. */
@NullMarked
package io.txwatch.report;

import org.jspecify.annotations.NullMarked;
