package io.txwatch.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DriverConnectionSourceTest {

  private static final DriverConnectionSource.Opener REFUSING =
      (url, properties) -> {
        throw new SQLException("refused");
      };

  @ParameterizedTest
  @CsvSource({
    "jdbc:mysql://h/d, '', ''",
    "jdbc:mysql://h/d?user=ann&password=p%26w, ann, p&w",
    "jdbc:mysql://h/d?x=1&password=pw&user=ann, ann, pw",
    "jdbc:mysql://ann:pw@h/d, ann, pw",
  })
  void theLoginIsThatOfTheUrl(String url, String user, String password) {
    var login = new DriverConnectionSource(url, new Properties(), REFUSING).login();

    assertThat(login.map(Login::user).orElse("")).isEqualTo(user);
    assertThat(login.map(Login::password).orElse("")).isEqualTo(password);
    assertThat(login.toString()).doesNotContain("pw");
  }

  @ParameterizedTest
  @CsvSource({
    "jdbc:mysql://h/d?user=ann&password=pw, jdbc:mysql://h/d",
    "jdbc:mysql://h/d?user=ann&x=1&password=pw, jdbc:mysql://h/d?x=1",
    "jdbc:mysql://h/d?x=1&user=ann&y=2, jdbc:mysql://h/d?x=1&y=2",
    "jdbc:mysql://ann:pw@h/d?x=1, jdbc:mysql://h/d?x=1",
  })
  void anotherUserReplacesThatOfTheUrl(String url, String expected) {
    List<String> opened = new ArrayList<>();
    Properties properties = new Properties();
    properties.setProperty("password", "pw");
    DriverConnectionSource source =
        new DriverConnectionSource(
            url,
            properties,
            (u, p) -> {
              opened.add(u + " " + p.getProperty("user") + " " + p.getProperty("password"));
              return REFUSING.open(u, p);
            });

    assertThatThrownBy(() -> source.openAs(new Login("bob", "other"))).hasMessage("refused");
    assertThat(opened).containsExactly(expected + " bob other");
    assertThat(properties).hasSize(1);
  }

  @Test
  void noPropertyThatIsShownIsAPassword() {
    Properties properties = new Properties();
    properties.setProperty("sslMode", "REQUIRED");
    properties.setProperty("password", "pw");
    properties.setProperty("trustCertificateKeyStorePassword", "pw");

    assertThat(new DriverConnectionSource("jdbc:x", properties, REFUSING).properties())
        .containsOnlyKeys("sslMode");
  }
}
