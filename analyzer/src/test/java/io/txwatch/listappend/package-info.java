/** Tests of the check of list-append histories, with searches of all orders as the judge. */
@NullMarked
package io.txwatch.listappend;

import org.jspecify.annotations.NullMarked;
