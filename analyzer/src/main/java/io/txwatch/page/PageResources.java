package io.txwatch.page;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;

/** The page's files, which are part of the jar. */
final class PageResources {

  static final String STYLE = "page.css";

  /** In the order in which they are executed. */
  static final List<String> SCRIPTS =
      List.of(
          "dom.js",
          "sql.js",
          "arrows.js",
          "about.js",
          "detail.js",
          "operations.js",
          "list.js",
          "predicted.js",
          "live.js",
          "page.js");

  private static final String HEAD = "<!--head-->";
  private static final String BODY_END = "<!--scripts-->";

  private PageResources() {}

  /** The text of a file. */
  static String text(String name) {
    try (InputStream in = PageResources.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("missing in the jar: " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The page with what goes into its head and to the end of its body. */
  static String page(String head, String bodyEnd) {
    return text("page.html").replace(HEAD, head).replace(BODY_END, bodyEnd);
  }

  /** All scripts as one. */
  static String script() {
    StringBuilder all = new StringBuilder();
    SCRIPTS.forEach(name -> all.append(text(name).replaceFirst("^'use strict';\n", "")));
    return "'use strict';\n" + all;
  }

  /** A source expression that permits an inline text: {@code 'sha256-…'}. */
  static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }
}
