/** Somebody else's application, as the agent meets it. */
@NullMarked
package org.example.app;

import org.jspecify.annotations.NullMarked;
