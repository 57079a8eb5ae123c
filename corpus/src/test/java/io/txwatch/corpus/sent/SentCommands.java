package io.txwatch.corpus.sent;

import io.txwatch.servers.ServerKind;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Splits the bytes that one client sent into commands, by the protocol of the server. The login is
 * left out, since it contains random bytes; of everything else, each byte is part of a command,
 * except for the numbers that a server of MySQL or MariaDB gives to prepared statements. These are
 * replaced by {@code #1}, {@code #2} and so on, in the order in which the client first sends them.
 */
public final class SentCommands {

  /** A longer command is its beginning, its length and its hash. */
  private static final int MAX_LENGTH = 2_000;

  private SentCommands() {}

  /**
   * The commands in order, each with its name and then its contents in ISO 8859-1; empty if they
   * are encrypted or compressed.
   *
   * @param kind a server of MySQL, MariaDB or PostgreSQL
   */
  public static Optional<List<String>> of(ServerKind kind, byte[] sent) {
    return switch (kind) {
      case MYSQL, MARIADB -> MySql.commands(sent);
      case POSTGRESQL -> Postgres.commands(sent);
      case H2, SQLITE -> throw new IllegalArgumentException(kind + ": protocol is not supported");
    };
  }

  private static String command(String name, String contents) {
    String command = contents.isEmpty() ? name : name + " " + contents;
    if (command.length() <= MAX_LENGTH) {
      return command;
    }
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest(command.getBytes(StandardCharsets.ISO_8859_1));
      return command.substring(0, MAX_LENGTH)
          + "… "
          + command.length()
          + " bytes, SHA-256 "
          + HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // each JVM has it
    }
  }

  private static String text(byte[] bytes, int from, int to) {
    return new String(bytes, from, Math.max(0, to - from), StandardCharsets.ISO_8859_1);
  }

  /** Packets of three bytes of length, one of sequence; a command begins with sequence 0. */
  private static final class MySql {

    private static final int HEADER = 4;
    private static final int MAX_PACKET = 0xFF_FF_FF;
    private static final int SSL_REQUEST = 32;
    private static final int COMPRESS = 1 << 5;
    private static final int SSL = 1 << 11;
    private static final int ZSTD = 1 << 26;
    private static final int QUERY_ATTRIBUTES = 1 << 27;
    private static final int QUERY = 0x03;
    private static final int CHANGE_USER = 0x11;

    private static final Map<Integer, String> NAMES =
        Map.ofEntries(
            Map.entry(0x01, "Quit"),
            Map.entry(0x02, "Init DB"),
            Map.entry(QUERY, "Query"),
            Map.entry(0x0e, "Ping"),
            Map.entry(CHANGE_USER, "Change user"),
            Map.entry(0x12, "Binlog Dump"),
            Map.entry(0x15, "Register Slave"),
            Map.entry(0x16, "Prepare"),
            Map.entry(0x17, "Execute"),
            Map.entry(0x18, "Long Data"),
            Map.entry(0x19, "Close stmt"),
            Map.entry(0x1a, "Reset stmt"),
            Map.entry(0x1b, "Set option"),
            Map.entry(0x1c, "Fetch"),
            Map.entry(0x1e, "Binlog Dump"),
            Map.entry(0x1f, "Reset connection"),
            Map.entry(0xfa, "Bulk Execute"));

    static Optional<List<String>> commands(byte[] sent) {
      List<String> commands = new ArrayList<>();
      Map<String, String> statements = new HashMap<>();
      int capabilities = 0;
      boolean isLogin = true;
      int at = 0;
      while (at + HEADER <= sent.length) {
        int sequence = sent[at + 3] & 0xFF;
        StringBuilder contents = new StringBuilder();
        int length;
        do { // contents of the maximal length go on in the next packet
          length = number(sent, at, 3);
          at += HEADER;
          contents.append(text(sent, at, Math.min(sent.length, at + length)));
          at += length;
        } while (length == MAX_PACKET && at + HEADER <= sent.length);
        String packet = contents.toString();
        if (sequence == 0 && !packet.isEmpty()) {
          isLogin = packet.charAt(0) == CHANGE_USER;
          commands.add(ofPacket(packet, capabilities, statements));
        } else if (!isLogin) {
          commands.add(command("Data", packet)); // a local file
        } else if (commands.isEmpty() && sequence == 1 && packet.length() >= 4) {
          capabilities = number(packet.getBytes(StandardCharsets.ISO_8859_1), 0, 4);
          boolean isEncrypted = (capabilities & SSL) != 0 && packet.length() == SSL_REQUEST;
          if (isEncrypted || (capabilities & (COMPRESS | ZSTD)) != 0) {
            return Optional.empty();
          }
        }
      }
      return Optional.of(commands);
    }

    private static String ofPacket(
        String packet, int capabilities, Map<String, String> statements) {
      int code = packet.charAt(0);
      String name = NAMES.getOrDefault(code, "Command " + code);
      String contents = packet.substring(1);
      return switch (code) {
        case CHANGE_USER -> name; // the rest is a login
        case QUERY ->
            // no attributes, one set of them
            command(
                name,
                (capabilities & QUERY_ATTRIBUTES) != 0 && contents.startsWith("\0\1")
                    ? contents.substring(2)
                    : contents);
        case 0x17, 0x18, 0x19, 0x1a, 0x1c, 0xfa -> {
          String number = contents.substring(0, Math.min(4, contents.length()));
          String statement =
              number.equals("\u00ff\u00ff\u00ff\u00ff")
                  ? "#last"
                  : statements.computeIfAbsent(number, n -> "#" + (statements.size() + 1));
          yield command(name, statement + " " + contents.substring(number.length()));
        }
        default -> command(name, contents);
      };
    }

    private static int number(byte[] bytes, int at, int length) {
      int number = 0;
      for (int i = 0; i < length; i++) {
        number |= (bytes[at + i] & 0xFF) << (8 * i);
      }
      return number;
    }
  }

  /** Messages of one byte of type, except for the first ones, and four of length. */
  private static final class Postgres {

    private static final int START_UP = 8;
    private static final int CANCEL = 80877102;
    private static final int SSL = 80877103;
    private static final int GSS = 80877104;

    private static final Map<Character, String> NAMES =
        Map.ofEntries(
            Map.entry('B', "Bind"),
            Map.entry('C', "Close"),
            Map.entry('D', "Describe"),
            Map.entry('E', "Execute"),
            Map.entry('F', "Function call"),
            Map.entry('H', "Flush"),
            Map.entry('P', "Parse"),
            Map.entry('Q', "Query"),
            Map.entry('S', "Sync"),
            Map.entry('X', "Terminate"),
            Map.entry('c', "Copy done"),
            Map.entry('d', "Copy data"),
            Map.entry('f', "Copy fail"));

    static Optional<List<String>> commands(byte[] sent) {
      List<String> commands = new ArrayList<>();
      int at = 0;
      boolean isStarted = false;
      while (!isStarted && at + START_UP <= sent.length) {
        if (sent[at] != 0) {
          return Optional.empty(); // the server agreed to encrypt
        }
        int code = number(sent, at + 4);
        isStarted = code != SSL && code != GSS;
        if (code == CANCEL) {
          commands.add("Cancel");
        }
        at += number(sent, at);
      }
      while (at + 5 <= sent.length) {
        char type = (char) sent[at];
        int end = at + 1 + number(sent, at + 1);
        if (type != 'p') { // a password
          commands.add(
              command(
                  NAMES.getOrDefault(type, "Message " + type),
                  text(sent, at + 5, Math.min(end, sent.length))));
        }
        at = end;
      }
      return Optional.of(commands);
    }

    private static int number(byte[] bytes, int at) {
      int number = 0;
      for (int i = 0; i < 4; i++) {
        number = number << 8 | bytes[at + i] & 0xFF;
      }
      return number;
    }
  }
}
