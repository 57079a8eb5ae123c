package io.txwatch.agent;

import net.bytebuddy.agent.ByteBuddyAgent;

/**
 * Attaches the agent to the JVM that calls, for users who add no {@code -javaagent} to its command
 * line: tests, and applications of a framework. Connections that are opened afterwards are watched.
 *
 * <p>The agent then has the class loader of this class, so that it also watches drivers that an
 * executable jar contains.
 */
public final class SelfAttachment {

  private static boolean attached;

  private SelfAttachment() {}

  /**
   * Attaches it once. An agent that runs already stays as it is.
   *
   * @param arguments those of an agent: {@code key=value,key=value}
   * @throws IllegalStateException if this JVM accepts no agents
   */
  public static synchronized void attach(String arguments) {
    if (attached || TxWatchAgent.isInstalled()) {
      return;
    }
    attached = true;
    try {
      TxWatchAgent.start(arguments, ByteBuddyAgent.install());
    } catch (IllegalStateException | UnsupportedOperationException e) {
      throw new IllegalStateException("this JVM accepts no agents (" + e.getMessage() + ")", e);
    }
  }
}
