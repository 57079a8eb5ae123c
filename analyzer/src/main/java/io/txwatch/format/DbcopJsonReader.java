package io.txwatch.format;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.txwatch.history.HistoryFormatException;
import io.txwatch.history.Outcome;
import io.txwatch.register.RegisterHistory;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Reads dbcop's histories in JSON: sessions of transactions of events.
 *
 * <p>The older format (amnore/dbcop, {@code src/db/history.rs}) writes an event as {@code
 * {"write":true,"variable":0,"value":1,"success":true}}, and registers start with 0. The newer one
 * (rnbguy/dbcop, {@code crates/core/src/history/raw/types.rs}) writes {@code
 * {"Write":{"variable":0,"version":1}}} or {@code ["w",0,1]}, and null for a register without a
 * write. Sessions are under {@code data}, or at the top.
 */
final class DbcopJsonReader {

  private final Path file;
  private final JsonParser json;
  private final KeyNumbering names = new KeyNumbering();
  private final RegisterHistory.Builder history =
      RegisterHistory.builder("register history", names).initialValue(0);
  private long session;

  private DbcopJsonReader(Path file, JsonParser json) {
    this.file = file;
    this.json = json;
  }

  /** Whether a text may start with this format. */
  static boolean looksLike(String text) {
    return text.contains("\"events\"");
  }

  /** Reads a file, in JSON or in bincode. */
  static RegisterHistory readAny(Path file) throws IOException {
    String text = ByteCursor.head(file, 1 << 12).stripLeading();
    if (!text.startsWith("{") && !text.startsWith("[")) {
      return DbcopBincodeReader.read(file);
    }
    try (JsonParser json =
        new JsonFactory()
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .createParser(file.toFile())) {
      DbcopJsonReader reader = new DbcopJsonReader(file, json);
      try {
        reader.top();
        if (json.nextToken() != null) {
          throw reader.unexpected("the end of the file");
        }
      } catch (JsonProcessingException e) {
        throw reader.error(
            e.getOriginalMessage(), e.getLocation().getByteOffset(), e.getLocation().getLineNr());
      }
      return reader.history.build();
    }
  }

  private void top() throws IOException {
    if (json.nextToken() == JsonToken.START_OBJECT) {
      boolean any = false;
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        boolean data = json.currentName().equals("data");
        json.nextToken();
        if (data) {
          any = true;
          sessions();
        } else {
          json.skipChildren();
        }
      }
      if (!any) {
        throw unexpected("a history of dbcop with its sessions under \"data\"");
      }
    } else {
      sessions();
    }
  }

  private void sessions() throws IOException {
    expect(JsonToken.START_ARRAY, "a list of sessions");
    while (json.nextToken() != JsonToken.END_ARRAY) {
      expect(JsonToken.START_ARRAY, "a session: a list of transactions");
      while (json.nextToken() != JsonToken.END_ARRAY) {
        transaction();
      }
      session++;
    }
  }

  private void transaction() throws IOException {
    expect(JsonToken.START_OBJECT, "a transaction: {\"events\": […], \"success\": true}");
    history.begin(session, "session " + session, -1, Outcome.ABORTED);
    boolean hasEvents = false;
    boolean hasOutcome = false;
    boolean committed = false;
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      json.nextToken();
      if (name.equals("events")) {
        hasEvents = true;
        expect(JsonToken.START_ARRAY, "a list of events");
        while (json.nextToken() != JsonToken.END_ARRAY) {
          event();
        }
      } else if (name.equals("success") || name.equals("committed")) {
        boolean success = flag();
        if (hasOutcome && success != committed) {
          throw unexpected("one outcome of a transaction");
        }
        hasOutcome = true;
        committed = success;
      } else {
        json.skipChildren();
      }
    }
    if (!hasEvents || !hasOutcome) {
      throw unexpected("a transaction with \"events\" and \"success\" (or \"committed\")");
    } else if (committed) {
      history.outcome(Outcome.COMMITTED);
    }
  }

  private void event() throws IOException {
    if (json.currentToken() == JsonToken.START_ARRAY) {
      json.nextToken();
      boolean write = kind(json.getText(), "w", "r");
      json.nextToken();
      int key = key();
      json.nextToken();
      add(write, key);
      json.nextToken();
      expect(JsonToken.END_ARRAY, "']' after an event");
      return;
    }
    expect(JsonToken.START_OBJECT, "an event");
    json.nextToken();
    if (json.currentName() == null) {
      throw unexpected("an event");
    }
    if (json.currentName().equals("Read") || json.currentName().equals("Write")) {
      boolean write = json.currentName().equals("Write");
      json.nextToken();
      expect(JsonToken.START_OBJECT, "{\"variable\": …, \"version\": …}");
      json.nextToken();
      fields(write ? EventForm.WRITE : EventForm.READ);
      json.nextToken();
      expect(JsonToken.END_OBJECT, "'}' after an event");
    } else {
      fields(EventForm.FLAT);
    }
  }

  /** The form of an event: a flat one has fields for its kind and its success. */
  private enum EventForm {
    READ,
    WRITE,
    FLAT
  }

  /** Reads the fields of an event, in any order; the current token is the first one's name. */
  private void fields(EventForm form) throws IOException {
    boolean write = form == EventForm.WRITE;
    boolean flat = form == EventForm.FLAT;
    boolean success = !flat;
    boolean hasKind = !flat;
    boolean hasSuccess = !flat;
    boolean hasValue = false;
    int key = -1;
    boolean nil = false;
    long value = 0;
    for (; json.currentToken() == JsonToken.FIELD_NAME; json.nextToken()) {
      String name = json.currentName();
      json.nextToken();
      switch (name) {
        case "write" -> {
          boolean said = flag();
          if (!flat && said != write) {
            throw unexpected("one kind of an event");
          }
          write = said;
          hasKind = true;
        }
        case "success" -> {
          success = flag();
          hasSuccess = true;
        }
        case "variable" -> key = key();
        case "value", "version" -> {
          if (hasValue) {
            throw unexpected("one value of an event");
          }
          hasValue = true;
          nil = json.currentToken() == JsonToken.VALUE_NULL;
          value = nil ? 0 : value();
        }
        default -> json.skipChildren();
      }
    }
    if (key < 0 || !hasKind || !hasSuccess || !hasValue) {
      throw unexpected(
          "an event with \"write\", \"variable\", \"value\" and \"success\", or with \"variable\""
              + " and \"version\" in \"Read\" or \"Write\"");
    }
    if (success && write) {
      addWrite(key, nil, value);
    } else if (success) {
      addRead(key, nil, value);
    }
  }

  private void add(boolean write, int key) throws IOException {
    boolean nil = json.currentToken() == JsonToken.VALUE_NULL;
    long value = nil ? 0 : value();
    if (write) {
      addWrite(key, nil, value);
    } else {
      addRead(key, nil, value);
    }
  }

  private void addWrite(int key, boolean nil, long value) throws IOException {
    if (nil) {
      throw unexpected("a value that is written");
    }
    history.write(key, value);
  }

  private void addRead(int key, boolean nil, long value) {
    if (nil) {
      history.readUnwritten(key);
    } else {
      history.read(key, value);
    }
  }

  private boolean flag() throws IOException {
    if (json.currentToken() != JsonToken.VALUE_TRUE
        && json.currentToken() != JsonToken.VALUE_FALSE) {
      throw unexpected("true or false");
    }
    return json.currentToken() == JsonToken.VALUE_TRUE;
  }

  private boolean kind(String word, String yes, String no) throws IOException {
    if (!word.equals(yes) && !word.equals(no)) {
      throw unexpected("\"" + yes + "\" or \"" + no + "\"");
    }
    return word.equals(yes);
  }

  private int key() throws IOException {
    return json.currentToken() == JsonToken.VALUE_NUMBER_INT
        ? names.key(json.getLongValue())
        : names.key(text());
  }

  private long value() throws IOException {
    return json.currentToken() == JsonToken.VALUE_NUMBER_INT
        ? json.getLongValue()
        : names.value(text());
  }

  private String text() throws IOException {
    expect(JsonToken.VALUE_STRING, "a number or a string");
    return json.getText();
  }

  private void expect(JsonToken token, String what) throws IOException {
    if (json.currentToken() != token) {
      throw unexpected(what);
    }
  }

  private HistoryFormatException unexpected(String what) {
    return error(
        "expected " + what + " in a history of dbcop",
        json.currentTokenLocation().getByteOffset(),
        json.currentTokenLocation().getLineNr());
  }

  private HistoryFormatException error(String what, long offset, int line) {
    return new HistoryFormatException(file, Math.max(0, offset), "line " + line + ": " + what);
  }
}
