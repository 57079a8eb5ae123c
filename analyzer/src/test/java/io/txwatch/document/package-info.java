/** Documents, read by parsers of their formats. */
@NullMarked
package io.txwatch.document;

import org.jspecify.annotations.NullMarked;
