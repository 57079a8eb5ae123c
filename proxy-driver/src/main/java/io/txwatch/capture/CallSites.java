package io.txwatch.capture;

import io.txwatch.capture.ApplicationClasses.Rank;
import java.lang.StackWalker.StackFrame;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where in the application a statement was executed: the nearest frame of a class that is the
 * application's as surely as any on the stack ({@link ApplicationClasses}).
 *
 * <p>Each class is judged once, each place is named once: what remains is the walk over the frames
 * in between. The caches hang on the classes themselves, so nothing keeps an application's class
 * loader alive.
 */
public final class CallSites {

  /**
   * The size of the first lot of frames, of which the walk keeps two for itself: there is room for
   * three of our own, a pool's two and the application's. It costs by the frame, needed or not, and
   * twice if the first lot does not do.
   */
  private static final int FIRST_FRAMES = 8;

  private static final StackWalker WALKER =
      StackWalker.getInstance(Set.of(StackWalker.Option.RETAIN_CLASS_REFERENCE), FIRST_FRAMES);

  /** Frames looked at, at most. Behind that many the application is not found. */
  private static final int DEPTH = 256;

  /**
   * Frames that are looked at behind the first one that may be the application's, for one that is
   * so more surely: a library that calls back, a framework and its proxies lie between.
   */
  private static final int MAX_FRAMES_BEHIND_CANDIDATE = 64;

  /** By the text of the setting: a few. */
  private static final Map<String, CallSites> BY_PACKAGES = new ConcurrentHashMap<>();

  private static final ClassValue<Places> APPLICATION_PLACES =
      new ClassValue<>() {
        @Override
        protected Places computeValue(Class<?> type) {
          return new Places();
        }
      };

  /**
   * A place in a class, with its name for people.
   *
   * @param descriptor of the method; null if no other method of the class has its name: to ask a
   *     frame for it costs as much as the rest
   */
  private record Place(String method, @Nullable String descriptor, int byteCodeIndex, String name) {

    boolean is(String ofMethod, int atIndex, StackFrame frame) {
      return byteCodeIndex == atIndex
          && method.equals(ofMethod)
          && (descriptor == null || descriptor.equals(frame.getDescriptor()));
    }
  }

  /** The places of a class from which statements were executed: a few. */
  private static final class Places {

    private volatile Place[] known = {};

    String name(StackFrame frame) {
      String method = frame.getMethodName();
      int index = frame.getByteCodeIndex();
      for (Place place : known) {
        if (place.is(method, index, frame)) {
          return place.name();
        }
      }
      return learn(frame, method, index);
    }

    private synchronized String learn(StackFrame frame, String method, int index) {
      String descriptor =
          isOverloaded(frame.getDeclaringClass(), method) ? frame.getDescriptor() : null;
      Place place = new Place(method, descriptor, index, describe(frame));
      Place[] more = Arrays.copyOf(known, known.length + 1);
      more[known.length] = place;
      known = more;
      return place.name();
    }

    private static boolean isOverloaded(Class<?> type, String method) {
      try {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(declared -> declared.getName().equals(method))
                .count()
            != 1;
      } catch (LinkageError | RuntimeException e) {
        return true; // it names classes that are not there
      }
    }
  }

  private final ApplicationClasses classes;

  private CallSites(ApplicationClasses classes) {
    this.classes = classes;
  }

  /**
   * Finds frames of the application.
   *
   * @param packages the packages that the user names, separated by commas; empty for none
   */
  public static CallSites of(String packages) {
    return BY_PACKAGES.computeIfAbsent(
        packages,
        text ->
            new CallSites(
                new ApplicationClasses(
                    Stream.of(text.split(","))
                        .map(String::strip)
                        .filter(p -> !p.isEmpty())
                        .toList())));
  }

  /** {@code File.java:line} of the caller; empty if the application is not on the stack. */
  public String current() {
    try {
      return WALKER.walk(this::firstOfApplication);
    } catch (RuntimeException | LinkageError e) {
      return ""; // a class of the application that cannot be asked is no reason to fail
    }
  }

  private String firstOfApplication(Stream<StackFrame> frames) {
    Iterator<StackFrame> walk = frames.iterator();
    StackFrame best = null;
    Rank highest = Rank.NONE;
    for (int left = DEPTH; left > 0 && walk.hasNext(); left--) {
      StackFrame frame = walk.next();
      Rank rank = classes.rank(frame.getDeclaringClass());
      if (rank.compareTo(highest) > 0) {
        best = best == null || !isPartOf(best, frame, rank) ? frame : best;
        highest = rank;
        if (rank == classes.highest()) {
          break;
        }
        left = Math.min(left, MAX_FRAMES_BEHIND_CANDIDATE);
      }
    }
    return best == null ? "" : APPLICATION_PLACES.get(best.getDeclaringClass()).name(best);
  }

  /** True if the nearer one is of the same maker: a part of the application in a jar beside it. */
  private boolean isPartOf(StackFrame nearer, StackFrame surer, Rank rank) {
    return rank == Rank.APPLICATION
        && classes
            .owner(nearer.getDeclaringClass())
            .equals(classes.owner(surer.getDeclaringClass()));
  }

  private static String describe(StackFrame frame) {
    String file = frame.getFileName();
    if (file == null) {
      String type = frame.getClassName();
      file = type.substring(type.lastIndexOf('.') + 1);
    }
    return frame.getLineNumber() > 0 ? file + ":" + frame.getLineNumber() : file;
  }
}
