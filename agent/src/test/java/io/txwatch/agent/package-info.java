/** The agent, in JVMs of its own. */
@NullMarked
package io.txwatch.agent;

import org.jspecify.annotations.NullMarked;
