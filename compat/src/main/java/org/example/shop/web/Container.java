package org.example.shop.web;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.WeakReference;
import java.lang.runtime.ObjectMethods;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.WebResourceRoot;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.webresources.DirResourceSet;
import org.apache.catalina.webresources.FileResourceSet;
import org.apache.catalina.webresources.StandardRoot;
import org.example.shop.Workload;

/** A servlet container that deploys web applications, uses them, and undeploys them. */
public final class Container {

  private static final int MAX_POLLS = 100;

  private final Tomcat tomcat = new Tomcat();
  private final String url;
  private final String libraries;

  private Container(String url, String libraries) throws IOException {
    this.url = url;
    this.libraries = libraries;
    Path base = Files.createDirectories(Path.of("tomcat"));
    tomcat.setBaseDir(base.toAbsolutePath().toString());
    Connector connector = new Connector();
    connector.setPort(0);
    connector.setProperty("address", "127.0.0.1");
    tomcat.setConnector(connector);
    tomcat.getHost();
  }

  /**
   * Runs it.
   *
   * @param arguments the URL, and the class path of the web applications
   */
  public static void main(String[] arguments) {
    try {
      run(arguments);
      System.exit(0);
    } catch (Throwable e) { // the container's threads would go on
      e.printStackTrace();
      System.exit(1);
    }
  }

  private static void run(String[] arguments) throws Throwable {
    Container container = new Container(arguments[0], arguments[1]);
    container.tomcat.start();
    Context one = container.deploy("/one", false);
    Context two = container.deploy("/two", false);
    container.use("/one?a");
    container.use("/two?a");
    container.use("/one?b");
    WeakReference<ClassLoader> loaderOfOne = undeploy(one);
    one = null;
    container.use("/two?b");
    Workload.print("/one is unloaded", String.valueOf(isUnloaded(loaderOfOne)));
    Context again = container.deploy("/one", false);
    container.use("/one?c");
    WeakReference<ClassLoader> loaderOfAgain = undeploy(again);
    again = null;
    container.use("/two?c");
    Workload.print("/one is unloaded again", String.valueOf(isUnloaded(loaderOfAgain)));
    Context three = container.deploy("/three", true);
    container.use("/three?a");
    WeakReference<ClassLoader> loaderOfThree = undeploy(three);
    three = null;
    container.use("/two?d");
    Workload.print("/three is unloaded", String.valueOf(isUnloaded(loaderOfThree)));
    WeakReference<ClassLoader> loaderOfTwo = undeploy(two);
    two = null;
    Workload.print("/two is unloaded", String.valueOf(isUnloaded(loaderOfTwo)));
    container.tomcat.stop();
    container.tomcat.destroy();
  }

  private Context deploy(String path, boolean forgets) throws IOException {
    Path root = Files.createDirectories(Path.of("webapps" + path)).toAbsolutePath();
    StandardContext context = new StandardContext();
    context.setName(path);
    context.setPath(path);
    context.setDocBase(root.toString());
    WebResourceRoot resources = new StandardRoot(context);
    for (String entry : libraries.split(File.pathSeparator)) {
      File file = new File(entry);
      if (file.isDirectory()) {
        resources.addPreResources(new DirResourceSet(resources, "/WEB-INF/classes", entry, "/"));
      } else {
        resources.addPreResources(
            new FileResourceSet(resources, "/WEB-INF/lib/" + file.getName(), entry, "/"));
      }
    }
    context.setResources(resources);
    context.setParentClassLoader(Container.class.getClassLoader());
    context.addLifecycleListener(new Tomcat.FixContextListener());
    Wrapper servlet = context.createWrapper();
    servlet.setName("shop");
    servlet.setServletClass(ShopServlet.class.getName());
    servlet.addInitParameter("url", url);
    if (forgets) {
      servlet.addInitParameter("forgets", "");
    }
    servlet.setLoadOnStartup(1);
    context.addChild(servlet);
    context.addServletMappingDecoded("/", "shop");
    tomcat.getHost().addChild(context); // starts it
    return context;
  }

  private static WeakReference<ClassLoader> undeploy(Context context) throws LifecycleException {
    WeakReference<ClassLoader> loader = new WeakReference<>(context.getLoader().getClassLoader());
    context.getParent().removeChild(context);
    context.destroy();
    return loader;
  }

  private void use(String path) throws IOException {
    URI address = URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + path);
    try (InputStream in = address.toURL().openStream()) {
      new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .forEach(line -> Workload.print(path, line));
    }
  }

  private static boolean isUnloaded(WeakReference<ClassLoader> loader) throws Throwable {
    for (int i = 0; i < MAX_POLLS && loader.get() != null; i++) {
      linkMethodsOfAnotherRecord();
      System.gc();
      Thread.sleep(50);
    }
    return loader.get() == null;
  }

  /** JDK 17 references the record that was linked last, until another one is. */
  private static void linkMethodsOfAnotherRecord() throws Throwable {
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    for (String method : new String[] {"equals", "hashCode", "toString"}) {
      MethodType type =
          switch (method) {
            case "equals" -> MethodType.methodType(boolean.class, Other.class, Object.class);
            case "hashCode" -> MethodType.methodType(int.class, Other.class);
            default -> MethodType.methodType(String.class, Other.class);
          };
      ObjectMethods.bootstrap(
          lookup,
          method,
          type,
          Other.class,
          "number",
          lookup.findVirtual(Other.class, "number", MethodType.methodType(Integer.class)));
    }
  }

  private record Other(Integer number) {}
}
