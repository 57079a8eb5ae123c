package io.txwatch.document;

/** Text within Markdown that is shown as it is, whatever it contains. */
public final class Markdown {

  private Markdown() {}

  /** Text on one line: its punctuation is escaped. */
  public static String line(String text) {
    return text.replaceAll("\\s+|\\p{Cntrl}", " ")
        .replaceAll("([\\\\`*_{}\\[\\]<>()#+!|&~])", "\\\\$1");
  }

  /**
   * A code block, with a fence that its content does not contain.
   *
   * @param language its language, for viewers; empty if it has none
   */
  public static String codeBlock(String language, String text) {
    String fence = "```";
    while (text.contains(fence)) {
      fence += "`";
    }
    return fence + language + "\n" + text.stripTrailing() + "\n" + fence + "\n";
  }
}
