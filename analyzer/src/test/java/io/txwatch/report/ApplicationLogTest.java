package io.txwatch.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The application's log, found through the application's class loader. */
class ApplicationLogTest {

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final PrintStream stderr = new PrintStream(printed, true, StandardCharsets.UTF_8);

  @TempDir private Path directory = Path.of("");

  /** The application's own slf4j, which collects its messages in a list. */
  private ClassLoader applicationWithSlf4j(String loggerName) throws IOException {
    Path sources = Files.createDirectories(directory.resolve("org/slf4j"));
    Path factory =
        Files.writeString(
            sources.resolve("LoggerFactory.java"),
            "package org.slf4j; public class LoggerFactory {"
                + " public static final java.util.List<String> LINES = new java.util.ArrayList<>();"
                + " static final class "
                + loggerName
                + " implements Logger {"
                + " public void warn(String s) { LINES.add(\"WARN \" + s); }"
                + " public void info(String s) { LINES.add(\"INFO \" + s); } }"
                + " public static Logger getLogger(String name) { LINES.add(name); return new "
                + loggerName
                + "(); } }");
    Path logger =
        Files.writeString(
            sources.resolve("Logger.java"),
            "package org.slf4j; public interface Logger {"
                + " void warn(String s); void info(String s); }");
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    assertThat(
            compiler.run(
                InputStream.nullInputStream(),
                OutputStreams.NONE,
                OutputStreams.NONE,
                "-d",
                directory.toString(),
                factory.toString(),
                logger.toString()))
        .isZero();
    return new URLClassLoader(
        new URL[] {directory.toUri().toURL()}, ClassLoader.getPlatformClassLoader());
  }

  private static final class OutputStreams {
    static final java.io.OutputStream NONE = java.io.OutputStream.nullOutputStream();
  }

  private static Object lines(ClassLoader application) throws ReflectiveOperationException {
    return application.loadClass("org.slf4j.LoggerFactory").getField("LINES").get(null);
  }

  @Test
  void logsToTheApplicationsSlf4j() throws Exception {
    ClassLoader application = applicationWithSlf4j("MyLogger");
    LogTarget log = ApplicationLog.of(application, stderr);
    log.warn("one {}\nof two lines\n");
    log.info("two\n");
    log.last("three\n");
    assertThat(lines(application))
        .isEqualTo(List.of("io.txwatch", "WARN one {}\nof two lines", "INFO two", "INFO three"));
    assertThat(printed.size()).isZero();
  }

  @Test
  void logsToJavaUtilLoggingIfSlf4jHasNoProvider() throws Exception {
    ClassLoader application = applicationWithSlf4j("NOPLogger");
    List<String> records = loggedBy(ApplicationLog.of(application, stderr));
    assertThat(records).containsExactly("WARNING one {0}\nof two lines", "INFO two");
  }

  @Test
  void logsToJavaUtilLoggingWithoutSlf4j() {
    List<String> records =
        loggedBy(ApplicationLog.of(ClassLoader.getPlatformClassLoader(), stderr));
    assertThat(records).containsExactly("WARNING one {0}\nof two lines", "INFO two");
  }

  private static List<String> loggedBy(LogTarget log) {
    List<String> records = new ArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            records.add(record.getLevel() + " " + record.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger(ApplicationLog.NAME);
    logger.setUseParentHandlers(false);
    logger.addHandler(handler);
    try {
      log.warn("one {0}\nof two lines\n");
      log.last("two\n");
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
    }
    return records;
  }

  @Test
  void lastTextIsPrintedIfJavaUtilLoggingWasShutDown() {
    Logger logger = Logger.getLogger(ApplicationLog.NAME);
    logger.setUseParentHandlers(false); // as its shutdown hook leaves it: without a handler
    try {
      ApplicationLog.of(ClassLoader.getPlatformClassLoader(), stderr).last("in all\n");
    } finally {
      logger.setUseParentHandlers(true);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualTo("in all\n");
  }
}
