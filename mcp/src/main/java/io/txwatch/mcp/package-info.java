/**
 * The Model Context Protocol, by which coding agents call tools.
 *
 * <p>{@link io.txwatch.mcp.StdioServer} offers tools over a pair of streams, with the protocol's
 * own SDK. What the tools do is not known here: the command {@code mcp} passes them in. All types
 * of the interface are the JDK's, since the command loads this package and the SDK by a class
 * loader of their own: neither is ever on the class path of an application.
 */
@NullMarked
package io.txwatch.mcp;

import org.jspecify.annotations.NullMarked;
